import type { Words } from './language';

export const it: Words = {
  password: [
    'parol{a|e} {d ordine|chiave di accesso|segreta|di accesso|di sicurezza}',
    '{credenziali|dati} {di |d |} {accesso|login}',
    'chiave di accesso',
    'codice di accesso',
    'frase segreta di accesso',
  ],
  one_time_code: [
    'codic{e|i} {di |} {verifica|conferma|sicurezza|autenticazione|autorizzazione|attivazione|convalida|sblocco|accesso temporaneo|recupero|otp|sms}',
    'codic{e|i} {che |} {ricevuto|ricevuti|inviato|hai ricevuto|ha ricevuto|ti abbiamo inviato|le abbiamo inviato}',
    'codice {via|tramite|per} sms',
    'codice {a|di} {4|6|quattro|sei|quattro|5|cinque} cifre',
    'codice {usa e getta|temporaneo|monouso}',
  ],
  pin: [
    'codice {pin|segreto|personale segreto|del bancomat|bancomat}',
    'pin {del bancomat|della carta|della tua carta|della sua carta|della sim|dispositivo|bancomat}',
    '{il tuo|il suo|nuovo|tuo|suo|vecchio} pin',
    'numero {pin|segreto|di identificazione personale}',
  ],
  secret_key: [
    'fras{e|i} {seed|di recupero|segreta|mnemonica|di backup|di ripristino}',
    'chiav{e|i} {privata|private|segreta|segrete|api|di recupero}',
    '{12|24|dodici|ventiquattro} parole {di|segrete|della|del|della tua|del tuo}',
    'parole di recupero',
  ],
  card: [
    '{numero|numeri|dati|informazioni|cifre|estremi} {della|sulla|sul fronte della} {tua |sua |} carta',
    '{numero|dati|estremi} di carta di {credito|debito}',
    '{codice|cifre} {di sicurezza |di verifica |} {della|sul retro della|dietro la} {tua |sua |} carta',
    '{16|sedici} cifre',
    '{tre|3|ultime tre} cifre {sul retro|dietro|del retro}',
    '{scadenza|data di scadenza} {della} {tua |sua |} carta {di credito|di debito|}',
    '^{carta di credito|carta di debito|bancomat}$',
    'numero {carta|carta di credito|bancomat}',
  ],
  bank_account: [
    '{numero|n} {di|del} {tuo |suo |} conto {corrente|bancario|}',
    '{coordinate|dati|informazioni|dettagli} {bancarie|bancari|del conto|del conto corrente|della banca}',
    '^{conto corrente|conto bancario}$',
    'conto {corrente|bancario} {per|su cui}',
    'codice {iban|swift|bic|abi|cab}',
    '{abi|cab} e {abi|cab}',
    '{accesso|credenziali|utente|login|codice cliente} {dell |di |alla |} {home banking|internet banking|banca online}',
  ],
  lookAlikes: [
    'parol{a|e} chiave',
    'numero {della |} carta {d identità|fedeltà|sanitaria|del socio|d imbarco|della biblioteca|sim|famiglia|giovani}',
    'numero di carta d identità',
    'dati della carta {d identità|fedeltà|sanitaria|di circolazione}',
    '{informazioni|dati} {sulla|della} carta dei {vini|servizi|diritti}',
    'gestor{e|i} di password',
    'codice di conferma {della |} {prenotazione|dell ordine|del volo}',
    'codice di sicurezza {stradale|alimentare}',
    'numero di conto {cliente|utente}',
  ],
  about: [
    '{cambi|cambiare|dimenticato|dimenticata|usi|usare|riutilizzi|condividi|salvi} {la |le |la tua |le tue |la stessa |le stesse |} password',
    '{stessa|stesse} password',
    'password {dimenticata|diverse|sicure}',
  ],
  fillers: [
    '{per favore|si prega di|il|la|lo|i|le|un|una|tuo|tua|suo|sua|vostro|inserisci|inserisca|inserire|inserite|digita|digiti|digitare|indica|indicare|scrivi|conferma|confermare|ripeti|qui|di nuovo|attuale|nuovo|nuova|vecchia|e|di|del|della|qual è}',
  ],
  warnings: [
    '{non|mai} {inserire|inserisca|inserite|inserisci|condividere|inviare|inviate|indicare|fornire|scrivere|comunicare} {mai |}',
    'non {ti |le |vi |} chiederemo mai {il |la |le |}',
  ],
  warningRest: [
    '{il|la|lo|i|le|un|una|tuo|tua|tue|suo|sua|vostra|di|del|della|o|né|e|qui|in|questo|questa|modulo|risposta|risposte|nelle|dati|bancari|carta|codici|password}',
  ],
};
