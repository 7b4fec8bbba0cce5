import type { WordList } from './word-list';

export const nl: WordList = {
  password: [
    '{*wachtwoord*|*wachtzin*|*paswoord*|toegangswoord}',
    '{wacht woord|inlog gegevens|inloggegevens|aanmeldgegevens|toegangscode*}',
  ],
  one_time_code: [
    '{cijfers|getal|nummer|code} {uit|in|van} {de|uw|je|een} {sms|authenticator|authenticator app|tekstbericht}',
    '{*verificatiecode*|*bevestigingscode*|*beveiligingscode*|*smscode*|*controlecode*|*inlogcode*|*activeringscode*|*activatiecode*|*toegangscode*|*authenticatiecode*|*herstelcode*|*eenmalige code*}',
    '{sms|verificatie|bevestigings|tan|inlog} code{s|}',
    'code {uit|in|van} {de |uw |je |een |} {sms|app|bericht|authenticator}',
    'code die {u|je|wij|we} {per sms |} {hebt|heeft|ontvangt|ontvangen|hebben|krijgt|kreeg|stuurden}',
    '{4|6|vier|zes} cijferige code',
    '{viercijferige|zescijferige} code',
  ],
  pin: [
    '{puk|*pukcode*|*puk code*}',
    '{*pincode*|*pinnummer*|*pin code*|*geheime code*|pin nummer}',
    '{uw|je|jouw|nieuwe|oude} pin',
    'pin {van|voor} {uw|je|de|jouw} {pas|kaart|bankpas|betaalpas|rekening}',
  ],
  secret_key: [
    '^{12|24|twaalf|vierentwintig} woorden$',
    '{*herstelzin*|*herstelwoorden*|*herstelsleutel*|geheime zin|geheime herstelzin|seed zin|seed woorden}',
    '{privésleutel|privesleutel|privé sleutel|geheime sleutel|private sleutel|api sleutel}{s|}',
    '{12|24|twaalf|vierentwintig} {woorden|herstelwoorden|geheime woorden} {van|uit}',
  ],
  card: [
    '{drie|3} {laatste |} cijfers {achterop|achter op|op de achterkant van|aan de achterkant van} {uw|je|de|jouw} {kaart|creditcard|bankpas|pas}',
    '{*kaartnummer*|*creditcardnummer*|*pasnummer*|*creditcardgegevens*|*kaartgegevens*|*bankpasnummer*}',
    '{kaart|creditcard|bankpas} {nummer|gegevens}',
    'nummer {op|van} {uw|je|de|jouw} {bankpas|creditcard|betaalpas|kaart|pinpas}',
    '{vervaldatum|geldigheid|vervaldag} van {uw|je|de|jouw} {creditcard|kaart|bankpas}',
    '{drie|3} cijfers {op|aan} de achterkant',
    '{16|zestien} cijfers',
    '^{creditcard|bankpas|betaalkaart}$',
  ],
  bank_account: [
    '{*rekeningnummer*|*bankgegevens*|*bankrekeningnummer*|*rekeninggegevens*|*banknummer*}',
    '{rekening|bank|bankrekening} {nummer|gegevens|nr}',
    '^bankrekening$',
    'bankrekening {voor|waarop}',
    '{inloggegevens|gebruikersnaam|toegang} {van|voor} {uw |je |} {internetbankieren|mobiel bankieren|internet bankieren|online bankieren}',
    'internet{ |}bankieren {inlog*|gebruikersnaam|toegang}',
  ],
  harmless: [
    'in {12|24|twaalf|vierentwintig} woorden',
    '{hoeveel|aantal} {verschillende |} wachtwoorden',
    'hoe {vaak|regelmatig} {verandert|wijzigt|wisselt|verander|vergeet} {u|je|jij} {uw|je|} wachtwoord{en|}',
    'databank',
    'wachtwoordmanager{s|}',
    'wachtwoordbeheerder{s|}',
    '{bibliotheekpas|klantenkaart|ledenkaart|klantenpas|ov chipkaart|zorgpas|identiteitskaart|studentenkaart|visitekaart|klantkaart|museumkaart|sim kaart|speelkaart|bonuskaart} {nummer|gegevens}',
    '{bibliotheek|museum|klanten|leden|bonus|studenten|identiteits|chip|sim|zorg|ov chip|ov} {kaart|pas}{nummer|gegevens}',
    '{museumkaartnummer|klantenkaartnummer|ledenkaartnummer|bibliotheekpasnummer|identiteitskaartnummer|chipkaartnummer|bonuskaartnummer|studentenkaartnummer|zorgpasnummer|klantenpasnummer|ledenpasnummer|dierenpaspoortnummer}',
  ],
  harmlessWithOptions: [
    '{verandert|veranderen|wijzigt|wijzigen|vergeten|bewaart|onthouden|deelt|hergebruikt|gebruikt} {u |je |} {uw |je |hetzelfde |} {wachtwoord|wachtwoorden}',
    '{hetzelfde|dezelfde|sterke|sterk} {wachtwoord|wachtwoorden}',
    'wachtwoord vergeten',
    'wachtwoordbeleid',
  ],
  fillers: [
    '{alstublieft|graag|uw|je|jouw|de|het|een|voer|vul|in|typ|geef|op|invoeren|herhaal|bevestig|opnieuw|hier|huidige|huidig|nieuwe|nieuw|oude|en|wat is|cijfers}',
  ],
  warningStarts: [
    '{vul|voer|deel|stuur|geef|vermeld} {hier |} {nooit|geen|niet}',
    '{wij|we} vragen {u |je |} nooit {om|naar} {uw |je |}',
  ],
  warningWords: [
    '{uw|je|jouw|de|het|een|of|en|in|op|hier|dit|deze|formulier|antwoord|antwoorden|door|via|andere|gegevens|wachtwoorden|pincodes|codes}',
  ],
};
