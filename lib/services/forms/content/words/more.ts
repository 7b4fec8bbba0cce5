import type { WordList } from './word-list';

/** Languages for which we have the plain words, but fewer phrases. */

const czech: WordList = {
  password: ['{heslo|hesla|heslem|přístupové údaje|přihlašovací údaje|*přístupový kód*}'],
  one_time_code: [
    '{ověřovací|potvrzovací|bezpečnostní|jednorázový|sms|autorizační|overovací|aktivační} k{ó|o}d{u|}',
    'k{ó|o}d {z|ze} {sms|zprávy|aplikace}',
    'k{ó|o}d který {jste obdrželi|vám přišel}',
  ],
  pin: ['puk kód', '{pin|tajný} k{ó|o}d', 'pin {karty|ke kartě}', 'číslo pin'],
  secret_key: ['{obnovovací|záložní|seed} fráz{e|i}', '{soukromý|tajný|privátní} klíč'],
  card: [
    '{číslo|čísla|údaje} {platební |kreditní |vaší |debetní |} karty',
    'platnost karty',
    '{tři|3} číslice na zadní',
  ],
  bank_account: [
    'číslo {bankovního |vašeho |} účtu',
    'bankovní {údaje|spojení|účet pro}',
    'přihlášení do {internetového bankovnictví|banky}',
  ],
  harmless: [
    'číslo {karty pojištěnce|průkazu|karty čtenáře|karty studenta|zákaznické karty}',
    'číslo {čtenářské|zákaznické|věrnostní|členské} karty',
    'křížovkářské heslo',
    'heslo {kampaně|dne|ročníku}',
    'správce hesel',
  ],
  fillers: ['{prosím|zadejte|vaše|váš|vyplňte|napište|potvrďte|znovu|nové|nový}'],
};

const romanian: WordList = {
  password: [
    '{parola|parolă|parolele} {dumneavoastră|dvs|contului|de acces|veche|nouă|de la cont|de logare|curentă|actuală|de e mail}',
    '^{parola|parolă}$',
    'parola ta',
    'utilizator și parol{a|ă}',
    'date {de conectare|de autentificare}',
  ],
  one_time_code: [
    'cod{ul|uri|} {de verificare|de confirmare|de securitate|de autentificare|primit|primit prin|sms|unic|de acces|din sms|de activare}',
  ],
  pin: ['cod{ul|} {puk|pin|secret|personal secret}', 'pin{ul|} {cardului|de la card|tău|dvs}'],
  secret_key: ['{fraza|frază} {de recuperare|secretă|seed}', 'chei{a|e} {privată|secretă|api}'],
  card: [
    '{număr|numărul|numarul|numar|datele|date} {de |de pe |} {card|cardului} {bancar|de credit|de debit|}',
    'data expirării cardului',
    '{trei|3} cifre de pe spate',
  ],
  bank_account: [
    '{număr|numărul|numarul} {de cont|contului|contului bancar|de cont bancar}',
    '{date|datele|detalii} {bancare|cont bancar}',
    'cont{ul|} {iban|bancar pentru}',
    '{utilizator|autentificare} {internet banking|online banking}',
  ],
  harmless: [
    '{numărul|număr} {cardului|de card} {de sănătate|de fidelitate|de membru|de bibliotecă|de student}',
    'manager de parole',
  ],
  fillers: [
    '{vă rugăm|introduceți|introdu|scrieți|confirmați|repetați|dvs|dumneavoastră|tău|ta|aici|din nou}',
  ],
};

const hungarian: WordList = {
  password: ['{*jelszó*|*jelszav*|belépési adatok|bejelentkezési adatok|*jelmondat*}'],
  one_time_code: [
    '{ellenőrző|megerősítő|biztonsági|egyszer használatos|sms|hitelesítő|aktiváló|igazoló} {kód*|jelszó*}',
    '{*smskód*|sms ben kapott kód*}',
  ],
  pin: ['{puk kód*|pin kód*|*pinkód*|titkos kód*}'],
  secret_key: ['{helyreállító|helyreállítási|seed} {kifejezés*|szavak*|mondat*}', '{privát|titkos} kulcs*'],
  card: [
    '{*kártyaszám*|*bankkártyaszám*|bankkártya szám*|*kártyaadat*|bankkártya adat*|kártya {lejárat*|szám*|hátoldal*}}',
    'kártya {lejárat*|szám*|hátoldal*}',
  ],
  bank_account: [
    '{*bankszámlaszám*|*számlaszám*|*bankszámla szám*|banki adat*|netbank {azonosító*|belépés*}}',
    'netbank {azonosító*|belépés*}',
  ],
  harmless: [
    '{tagkártyaszám*|ügyfél számlaszám*|törzskártyaszám*|tb kártyaszám*}',
    '{tagsági|könyvtári|törzsvásárlói|diák} kártya szám*',
    'jelszókezelő*',
  ],
  fillers: ['{kérjük|adja meg|írja be|add meg|az|a|ön|erősítse meg|ismét|új|régi}'],
};

const finnish: WordList = {
  password: ['{*salasana*|*tunnussana*|*salalause*|kirjautumistiedot*|kirjautumistunnukset*|*pääsykoodi*}'],
  one_time_code: [
    '{*vahvistuskoodi*|*kertakäyttökoodi*|*turvakoodi*|*varmennuskoodi*|*tekstiviestikoodi*|*tunnusluvut*|*aktivointikoodi*|*kertakoodi*}',
    'tekstiviestillä {saatu|saamasi} koodi',
  ],
  pin: ['{*puk koodi*|*pin koodi*|*pinkoodi*|*tunnusluku*|*salainen koodi*}'],
  secret_key: [
    '{*palautuslause*|*siemenlause*|*palautussanat*|yksityinen avain|salainen avain|yksityisavain*}',
  ],
  card: [
    '{*korttinumero*|*luottokortin numero*|*pankkikortin numero*|kortin {numero*|voimassaolo*|tiedot*}}',
    'kortin {numero*|voimassaolo*|tiedot*|turvakoodi*}',
  ],
  bank_account: [
    '{*tilinumero*|*pankkitiedot*|*pankkitilin*|*pankkitunnuks*|*pankkiyhteys*|*verkkopankkitunnu*}',
  ],
  harmless: [
    '{kirjastokortin|jäsenkortin|opiskelijakortin|asiakaskortin|henkilökortin} numero*',
    '{kirjastokorttinumero*|jäsenkorttinumero*}',
    'salasananhallinta*',
  ],
  fillers: ['{ole hyvä|anna|syötä|kirjoita|vahvista|uudelleen|uusi|vanha|nykyinen|tähän}'],
};

const greek: WordList = {
  password: [
    '{κωδικός|κωδικό|κωδικού|κωδικοί|κωδικους|τον κωδικό} {πρόσβασης|σας|σου|εισόδου|χρήστη}',
    '{συνθηματικό|συνθηματικού|στοιχεία σύνδεσης|στοιχεία εισόδου}',
    '^κωδικός$',
  ],
  one_time_code: [
    'κωδικό{ς|} {επαλήθευσης|επιβεβαίωσης|μιας χρήσης|ασφαλείας|sms|που λάβατε|που σας στείλαμε|ενεργοποίησης}',
  ],
  pin: ['κωδικό{ς|} {puk|pin|της κάρτας|κάρτας}', '{μυστικός|μυστικό} {κωδικός|κωδικό|αριθμός}'],
  secret_key: ['{φράση|φράσης} {ανάκτησης|επαναφοράς}', '{ιδιωτικό|μυστικό} κλειδί'],
  card: [
    '{αριθμός|αριθμό|στοιχεία} {της |} {πιστωτικής |χρεωστικής |τραπεζικής |} κάρτας {σας|}',
    'ημερομηνία λήξης {της |} κάρτας',
  ],
  bank_account: [
    '{αριθμός|αριθμό|στοιχεία} {τραπεζικού |} {λογαριασμού|λογαριασμού σας}',
    'τραπεζικά στοιχεία',
    '{κωδικοί|σύνδεση} e banking',
  ],
  harmless: [
    '{αριθμός|αριθμό|στοιχεία} {της |} κάρτας {μέλους|βιβλιοθήκης|υγείας|ανεργίας|φοιτητή}',
    'αριθμός λογαριασμού {ρεύματος|πελάτη}',
    'διαχειριστής κωδικών',
  ],
  fillers: ['{παρακαλώ|εισάγετε|εισαγάγετε|γράψτε|δώστε|τον|την|το|σας|σου|ξανά|νέος|νέο}'],
};

const thai: WordList = {
  password: ['{รหัสผ่าน|พาสเวิร์ด|ข้อมูลเข้าสู่ระบบ}'],
  one_time_code: [
    '{รหัสยืนยัน|รหัสโอทีพี|รหัสotp|รหัส otp|รหัสที่ได้รับ|รหัสจากsms|รหัสทาง sms|รหัส sms|รหัส 6 หลัก|รหัสที่ส่งไป}',
  ],
  pin: ['{รหัส puk|รหัสพิน|รหัสpin|รหัส pin|รหัสเอทีเอ็ม|รหัส atm|รหัสลับ|รหัสบัตร}'],
  secret_key: ['{วลีกู้คืน|คีย์ส่วนตัว|กุญแจส่วนตัว|คำกู้คืน}'],
  card: [
    '{หมายเลขบัตรเครดิต|เลขบัตรเครดิต|หมายเลขบัตรเดบิต|ข้อมูลบัตรเครดิต|เลขหลังบัตร|วันหมดอายุบัตร|หมายเลขหน้าบัตร|เลขบัตรเดบิต|เลขบัตรเอทีเอ็ม}',
  ],
  bank_account: ['{เลขที่บัญชี|หมายเลขบัญชี|เลขบัญชี|บัญชีธนาคาร|ข้อมูลธนาคาร}'],
  harmless: ['{รหัสลับเกม|เลขบัญชีลูกค้า|โปรแกรมจัดการรหัสผ่าน}'],
  fillers: ['{กรุณา|กรอก|ใส่|ของคุณ|ระบุ|ป้อน|อีกครั้ง|ใหม่}'],
};

/** The word for password alone, in some more languages. */
const others: WordList = {
  password: [
    '{pasahitza*|contrasinal*|contrasenya*|nenosiri|lozink*|лозинк*|geslo|gesla|slaptažodis|slaptažod*}',
    '{fjalëkalim*|პაროლ*|գաղտնաբառ*|lykilorð*|pasfhocal*|wagwoord*|құпиясөз*|құпия сөз|паролата|парола}',
    '{পাসওয়ার্ড*|கடவுச்சொல்*|پاس ورڈ*|پاسورڈ*|salasõna*|facal faire|cyfrinair|şifrə*|parolingiz*}',
  ],
};

export const more: readonly WordList[] = [czech, romanian, hungarian, finnish, greek, thai, others];
