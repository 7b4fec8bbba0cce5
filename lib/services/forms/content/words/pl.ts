import type { WordList } from './word-list';

export const pl: WordList = {
  password: [
    '{hasło|hasła|hasłem|hasłu}',
    'haseł do',
    '{dane|danych} {do |} {logowania|logowanie}',
    'fraza hasłowa',
  ],
  one_time_code: [
    'cyfr{y|} {z|w} {sms a|sms|wiadomości|smsa|aplikacji}',
    'kod z aplikacji uwierzytelniającej',
    'cyfr{y|} {które|jakie} {wysłaliśmy|otrzymałeś|przyszły|dostałeś}',
    'kod{u|y|em|} {weryfikacyjny|weryfikacyjnego|potwierdzający|potwierdzenia|autoryzacyjny|jednorazowy|jednorazowego|jednorazowe|sms|z sms|z sms a|bezpieczeństwa|uwierzytelniający|aktywacyjny|dostępu|logowania|blik|z aplikacji|zapasowy|odzyskiwania}',
    'kod {który|jaki} {otrzymałeś|otrzymałaś|otrzymasz|wysłaliśmy|przyszedł|dostałeś}',
    'kod {otrzymany|wysłany|przesłany} {sms|smsem|w|na|przez}',
    '{4|6|cztero|sześcio} cyfrowy kod',
    '{czterocyfrowy|sześciocyfrowy} kod',
    'smskod',
    '{hasło|hasła} {jednorazowe|sms}',
    '^blik$',
  ],
  pin: [
    '{kod|kodu|numer} puk',
    '^puk$',
    '{kod|kodu|numer|numeru} pin{u|}',
    'pin {do karty|karty|do konta|do telefonu|do aplikacji|bankowy|do bankomatu}',
    '{twój|nowy|stary|swój|podaj|wpisz} pin',
    '{tajny|sekretny} kod',
  ],
  secret_key: [
    '^{12|24|dwanaście|dwadzieścia cztery} {słów|słowa}$',
    '{fraza|frazę|frazy|frazie|słowa} {odzyskiwania|seed|zapasowa|zapasowe|odzyskujące|mnemoniczna|seeda|kopii zapasowej}',
    'klucz{a|e|} {prywatny|prywatnego|prywatne|tajny|tajnego|api|odzyskiwania}',
    '{12|24|dwanaście|dwadzieścia cztery} {słów|słowa} {z|do|odzyskiwania|portfela|seed}',
  ],
  card: [
    'trzy {ostatnie |} cyfry {z tyłu|na odwrocie|na rewersie} {karty|}',
    '{numer|numeru|numery|nr|dane|danych|cyfry} {karty|kart|z karty|na karcie|twojej karty|swojej karty}',
    '{data|datę|termin} ważności {karty|twojej karty|karty płatniczej}',
    '{trzy|3} cyfry {z tyłu|na odwrocie|z odwrotu|z rewersu}',
    '{16|szesnaście} cyfr',
    'kod {zabezpieczający|cvv|cvc} {karty|}',
    '^karta {kredytowa|płatnicza|debetowa}$',
  ],
  bank_account: [
    '{numer|numeru|nr} {konta|rachunku|twojego konta|twojego rachunku} {bankowego|}',
    '{dane|danych} {bankowe|bankowych|konta bankowego|rachunku bankowego|do banku|konta}',
    '{nrb|konto bankowe do|rachunek bankowy do}',
    '^{konto bankowe|rachunek bankowy|nr konta}$',
    '{login|loginu|identyfikator|dostęp} do {banku|bankowości|bankowości internetowej|bankowości elektronicznej|konta bankowego}',
    'kod {swift|bic}',
  ],
  harmless: [
    '{ile|liczba} {różnych |} haseł',
    'jak często {zmieniasz|zmienia pan|zmieniają państwo|zapominasz} {swoje |} hasł{o|a}',
    'hasł{o|a} {reklamowe|przedmiotowe|wyborcze|krzyżówki|encyklopedyczne|promocyjne|wydarzenia|konferencji|przewodnie|kampanii}',
    'menedżer{y|a|} haseł',
    '{numer|dane|nr} karty {bibliotecznej|miejskiej|lojalnościowej|stałego klienta|pacjenta|członkowskiej|pobytu|dużej rodziny|rabatowej|sim|wędkarskiej|parkingowej|startowej|graficznej}',
    'dane konta {użytkownika|klienta|firmowego}',
    'numer konta {klienta|użytkownika|odbiorcy energii}',
    'kod bezpieczeństwa żywności',
    'kod potwierdzenia rezerwacji',
  ],
  harmlessWithOptions: [
    '{zmieniasz|zmieniać|zapomniałem|zapisujesz|przechowujesz|używasz} {swoje |swoich |tych samych |tego samego |} {hasło|hasła|haseł}',
    '{zapomniane|silne|te same|tych samych} {hasło|hasła|haseł}',
  ],
  fillers: [
    '{proszę|twój|twoje|twoja|swój|swoje|swoją|podaj|podać|wpisz|wpisać|wprowadź|wprowadzić|powtórz|potwierdź|ponownie|tutaj|tu|obecne|nowe|nowy|stare|i|do|jaki jest|jakie jest|cyfrowy}',
  ],
  warningStarts: [
    '{nigdy |prosimy |} nie {podawaj|podawać|wpisuj|wpisywać|wysyłaj|udostępniaj|przesyłaj} {nam |tu |tutaj |}',
    'nigdy nie {prosimy|poprosimy|pytamy} {o|cię o}',
  ],
  warningWords: [
    '{swojego|swoich|swoje|twojego|twoich|tu|tutaj|w|tym|formularzu|odpowiedzi|odpowiedziach|ani|lub|albo|i|oraz|danych|kart|żadnych|kodów|o|numeru|numerów|pin|pinu|przez|ten|formularz}',
  ],
};
