import type { WordList } from './word-list';

export const tr: WordList = {
  password: [
    '{şifre*|parolanı*|parolan|parolayı|parolamı*|{yeni|mevcut|eski|giriş|wifi|gizli} parola|sifreniz*|sifren|sifre}',
    '^parola$',
    'parola {gir*|yaz*}',
    '{giriş|oturum} bilgileri*',
    'kullanıcı adı ve şifre*',
  ],
  one_time_code: [
    '{telefonunuza|cep telefonunuza|telefonuna|mesajla|sms ile} gelen {altı|6|dört|4|} {rakam*|sayı*|haneli*}',
    '{sms teki|mesajdaki|sms deki} {altı |6 |dört |4 |} {haneli |} {sayı*|rakam*|kod*}',
    '{doğrulama|dogrulama|onay|güvenlik|guvenlik|aktivasyon|sms|tek kullanımlık|giriş|kimlik doğrulama|kurtarma|yedek} {kod*|şifre*}',
    '{sms|mesaj|telefonunuza|telefonuna|cep telefonunuza} {ile |} gelen {kod*|şifre*}',
    '{4|6|dört|altı} haneli {kod*|şifre*}',
    'size {gönderilen|gönderdiğimiz} kod*',
  ],
  pin: [
    'puk {kod*|numara*|}',
    'pin {kod*|numara*|şifre*}',
    '{kart|banka|kredi kartı|bankamatik} {pin*|şifre*}',
    '{pininiz*|yeni pin|sim pin}',
    'gizli {numara*|rakam*}',
  ],
  secret_key: [
    'cüzdan{ınızın|ının|ın|} {12|24|on iki|yirmi dört} kelime*',
    '{kurtarma|tohum|gizli|güvenlik|yedek|hatırlatıcı} {ifade*|kelimeleri*|cümle*|öbeği*|sözcükleri*}',
    '{özel|gizli|api|cüzdan} anahtar*',
    '{12|24|on iki|yirmi dört} {kelime|kelimelik|kelimeyi}',
  ],
  card: [
    'kart{ınızın|ının|ın} {arkasındaki|arka yüzündeki|arkasında} {üç|3|yazan|} {rakam*|hane*|sayı*|numara*}',
    '{kart|kredi kartı|banka kartı|kartınızın|kartının} {numara*|no|bilgileri*|son kullanma*|güvenlik kodu*|arkasındaki*|üzerindeki*}',
    'kredi kartınız{ın|} {numara*|bilgileri*|}',
    '{16|on altı} haneli',
    '{arkasındaki|arka yüzündeki} {3|üç} {hane*|rakam*|haneli*}',
    'güvenlik kodu*',
    '^{kredi kartı|banka kartı}$',
  ],
  bank_account: [
    '{banka|hesap} {hesap |} {numara*|no|bilgileri*}',
    '^{banka hesabı|banka hesabınız|hesap no|hesap numarası}$',
    '{internet|mobil} {bankacılığı|bankacılık|şube} {kullanıcı*|şifre*|giriş*|bilgi*}',
    'iban {numara*|no|}',
    'ibanınız*',
    'şube kodu*',
    'swift kodu*',
  ],
  harmless: [
    '{en fazla|en çok|en az|yaklaşık} {12|24|on iki|yirmi dört} kelime',
    '{kaç|kaç tane|kaç farklı} {şifre|parola} {hatırlıyorsunuz|kullanıyorsunuz|hatırlıyorsun|kullanıyorsun|var}',
    'ne sıklıkla {şifre|parola|şifrenizi|parolanızı}',
    '{şifreleme*|şifrelen*|şifreli*|şifrebilim*|parola yöneticisi*|şifre yöneticisi*|şifreci*}',
    '{öğrenci|kütüphane|üyelik|sağlık|kimlik|sadakat|müze|ulaşım|personel|hasta|giriş|davetiye} kartı{nın|nızın|} {numara*|no|bilgileri*}',
    '{kimlik|kartvizit|üye} kart {numara*|bilgileri*}',
    'müşteri hesap {no|numara*}',
    'gizli kelimeleri bul*',
    'rezervasyon onay kodu*',
    'da vinci şifresi*',
  ],
  harmlessWithOptions: [
    '{şifre|şifreni|şifrenizi|şifrelerinizi|parolanızı|şifremi|parolayı|şifreyi|aynı şifreyi|güçlü şifre} {ne sıklıkla |} {değiştir*|unut*|paylaş*|sakla*|kullan*|hatırla*}',
    '{aynı|güçlü} {şifre*|parola*}',
  ],
  fillers: [
    '{lütfen|giriniz|girin|gir|yazınız|yazın|yaz|buraya|tekrar|yeni|eski|mevcut|ve|bir|haneli|belirtin|belirtiniz|onaylayın|nedir}',
  ],
};
