import type { WordList } from './word-list';

/** Swedish, Danish and Norwegian. */
export const sv: WordList = {
  password: [
    '{*lösenord*|*loesenord*|*losenord*|*lösenfras*|*adgangskode*|*kodeord*|*passord*|*adgangsord*|*kodord*}',
    '{lösen ord|adgangs kode|pass ord}',
    '{inloggningsuppgifter*|innloggingsdetaljer|innloggingsopplysninger|loginoplysninger|inlogningsuppgifter}',
  ],
  one_time_code: [
    '{siffrorna|siffror|cifrene|sifferne|cifre|koden} {i|från|fra} {sms|smset|sms et|appen|meddelandet|beskeden|meldingen|din}',
    '{*engångskod*|*engangskode*|*verifieringskod*|*bekräftelsekod*|*säkerhetskod*|*verifikationskode*|*bekræftelseskode*|*sikkerhedskode*|*bekreftelseskode*|*verifiseringskode*|*sikkerhetskode*|*smskod*|*inloggningskod*|*aktiveringskod*|*engångslösenord*|*godkendelseskode*}',
    '{sms|engångs|engangs} kod{e|en|er|}',
    'kod{e|en|} {från|fra|i} {sms|sms et|din app|appen|meddelandet|din authenticator}',
    'kod{e|en|} {som |} {du fick|du fått|vi skickade|vi sendte|du fik|du har modtaget|du modtog|du mottok|vi har skickat}',
    '{4|6|fyr|sex|seks|fire} {siffrig|sifret|cifret|siffriga|cifrede} kod{e|en|}',
    '{nøglekort|nemid nøgle|bankid kod*|mitid kode}',
  ],
  pin: [
    'puk kod{en|e|}',
    '*pukkod*',
    '^puk$',
    '{*pinkod*|*pinkode*|pin kod|pin kode|*pin koden*|*personlig kod*|personliga kod|*kortkod*|*hemlig kod*|*hemmelig kode*}',
    '{din|ditt|ny|nya|gammal} pin',
    'pin {till|til|för|for} {kortet|ditt kort|kontot|dit kort|kortet ditt}',
  ],
  secret_key: [
    '^{12|24|tolv|tjugofyra} ord$',
    '{de |} {tolv|12|24|tjugofyra} orden {till|i|för|från} {din|plånboken|plånbok}',
    '{*återställningsfras*|*gendannelsesfrase*|*gjenopprettingsfrase*|*återställningsnyckel*|*seedfras*|hemlig fras|hemmelig frase|seed fras}',
    '{privat|privata|hemlig|hemliga|hemmelig|private} {nyckel|nycklar|nøgle|nøkkel}',
    '{api|krypterings} {nyckel|nycklar|nøgle|nøkkel}',
    '{12|24|tolv|tjugofyra} {ord|återställningsord} {från|i|till|fra}',
  ],
  card: [
    'kortets nummer',
    '{tre|3} {sista |siste |} {siffrorna|siffror|cifre|sifre|sifrene} {på|bak på} {kortets|kortet|ditt kort|baksidan av kortet}',
    '{*kortnummer*|*kortuppgifter*|*kortoplysninger*|*kortopplysninger*|*kreditkortsnummer*|*kontokortnummer*|*kortnumret*|*cvckod*|*cvvkod*}',
    '{kort|kreditkort|bankkort|betalkort} {nummer|uppgifter|oplysninger}',
    'nummer {på|av} {ditt|dit|kortet} {kort|kreditkort|betalkort|bankkort|framsida|}',
    '{tre|3} {siffrorna|siffror|cifre|sifrene|sifferne} {på|bak på} {baksidan|bagsiden|baksiden}',
    '{giltighetstid|utgångsdatum|udløbsdato|utløpsdato} {på|för} {kort|kortet|ditt kort|dit kort}',
    '{16|sexton|seksten} {siffror|cifre|sifre}',
    '^{kreditkort|bankkort|betalkort|betalingskort}$',
  ],
  bank_account: [
    '{*kontonummer*|*bankuppgifter*|*bankoplysninger*|*bankopplysninger*|*clearingnummer*|*bankkontonummer*|*registreringsnummer och konto*|*kontouppgifter*|*kontooplysninger*}',
    '{konto|bankkonto|clearing} {nummer|nr|uppgifter}',
    '^{bankkonto|bankgiro}$',
    'bankkonto {för|til|till|for}',
    '{inloggning|login|innlogging|användarnamn} {till|til} {internetbanken|din bank|netbank|nettbank|netbanken|banken}',
    'reg nr og konto',
  ],
  harmless: [
    '{hur många|antal} {olika |} {lösenord}',
    'hur ofta {byter|ändrar|glömmer} du {ditt |} lösenord',
    '{hvor mange|antall|antal} {passord|adgangskoder}',
    '{lösenordshanterare|adgangskodehåndtering|passordbehandler}',
    '{lånekortnummer|lånekortsnummer|medlemskortnummer|id kortnummer|bibliotekskortnummer|körkortnummer|körkortsnummer|körkortsuppgifter|förarkortnummer|sundhedskortnummer|passkortnummer|visitkortsuppgifter|kundkortsnummer|presentkortsnummer|førerkortnummer|kørekortnummer|lånekort nummer|idkortnummer|studentkortnummer|bonuskortnummer}',
    '{lånekort|medlemskort|körkort|bibliotekskort|id kort|førerkort|kørekort|sundhedskort} {nummer|nr|uppgifter}',
    'kodord{et|} {för|till} {leken|spelet|quizzet|skattjakten}',
    'kundkontonummer',
  ],
  harmlessWithOptions: [
    '{byter|byta|glömt|glömmer|sparar|ändrar|delar|återanvänder|använder|glemt|skifter|bytter} {du |} {ditt |samma |din |} {lösenord|adgangskode|passord}',
    '{samma|starka|starkt} lösenord',
    'lösenordspolicy',
    'glömt lösenord*',
  ],
  fillers: [
    '{vänligen|ange|skriv|skriv in|fyll i|ditt|din|dina|dit|dine|mitt|det|den|ett|en|et|indtast|angiv|oppgi|skriv inn|upprepa|bekräfta|gentag|igen|här|her|nuvarande|nytt|ny|nya|gamla|och|og|i|vad är}',
  ],
  warningStarts: [
    '{ange|skriv|skicka|dela|fyll} {aldrig|inte|ej} {in |i |}',
    '{angiv|indtast|skriv|oppgi|del} {aldrig|aldri|ikke}',
    'vi {frågar|ber|spørger|spør} {dig |deg |} {aldrig|aldri} {efter|om|etter}',
  ],
  warningWords: [
    '{ditt|din|dina|dit|dine|några|eller|och|og|här|her|i|detta|det|dette|den|formulär|formuläret|formular|skjema|svar|svaren|kort|uppgifter|koder}',
  ],
};
