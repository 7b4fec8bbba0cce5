/** Tests that show what happens under an attack: a file, and the title as its source spells it, with `…` for what varies. */
export interface Shown {
  readonly file: string;
  readonly title: string;
  /** Members of the family that are meant: words of the file. */
  readonly cases?: readonly string[];
}

export interface Attack {
  /** Its number in the list of known attacks on services that are paid by x402 or MPP. */
  readonly id: string;
  readonly what: string;
  readonly shownBy: readonly Shown[];
  /** What cannot be shown yet, and why; null when nothing is missing. */
  readonly missing: string | null;
}

const attack = (
  id: string,
  what: string,
  shownBy: readonly Shown[],
  missing: string | null = null,
): Attack => ({
  id,
  what,
  shownBy,
  missing,
});
const shown = (file: string, title: string, cases?: readonly string[]): Shown => ({
  file: `tests/${file}.spec.ts`,
  title,
  cases,
});
const refusedEvm = (...cases: string[]) =>
  shown('api/refused-evm', 'a payment that … is refused, charges nothing and spoils nothing', cases);
const refusedSolana = (...cases: string[]) =>
  shown('api/refused-solana', 'a Solana payment that … is refused and charges nothing', cases);
const lostSettlements = shown(
  'recovery/lost-settlements',
  'of … settlements whose answers are lost, late, cut, doubled or false, on every network and both rails, all end paid and delivered or proven unpaid, and nobody pays twice',
);
const crashPoints = shown(
  'recovery/crash-points',
  '…: whichever message is lost, late, doubled or broken, or the server killed at it, it is paid once and delivered once',
);

/** Every known attack, and the tests that show what the product does about it. */
export const attacks: readonly Attack[] = [
  attack(
    'A01',
    'replay of a used envelope, same request',
    [
      shown('api/replay', 'the identical request on … gets the identical answer, and is not charged again'),
      shown('api/mpp', 'the same credential again gets the same answer and is not charged again'),
      shown(
        'recovery/repeated',
        'after a kill and a restart, what was bought is answered again to the byte and never charged again',
      ),
    ],
    'a replay after a day: the clock of a server cannot be moved in a test yet',
  ),
  attack('A02', 'replay on another route, or on the other rail', [
    shown('api/replay', 'one payment on … buys one body, one operation, under one key'),
    shown(
      'api/binding',
      'an unused payment for an upload renews as well, once: both cost the same and the first use decides',
    ),
    shown(
      'api/binding',
      'a deletion on … cannot be paid at the price of a renewal, nor a renewal at that of a deletion',
    ),
    shown('api/mpp', 'a credential for another operation of the same price is refused, uncharged'),
    shown('api/mpp', 'an x402 payment does not buy on an MPP path, nor an MPP credential on an x402 path'),
  ]),
  attack('A03', 'body swap under one envelope', [
    shown('api/replay', 'one payment on … buys one body, one operation, under one key'),
    shown('api/replay', 'the order and spacing of JSON do not make another request'),
    shown('api/mpp', 'a body changed between challenge and payment is refused, uncharged'),
  ]),
  attack('A04', 'path id swap on renewal and deletion', [
    shown('api/binding', 'a payment on … for … {id}… of one upload is not one for another'),
    shown('api/buy-upload', 'another wallet on … can neither renew nor delete, and is not charged'),
  ]),
  attack('A05', 'many identical requests at once', [
    shown(
      'api/concurrency',
      'a hundred identical requests at once are one transfer, one upload and a hundred equal answers',
    ),
    shown('api/mpp', 'thirty identical requests at once are charged once and answered alike'),
    shown(
      'recovery/two-servers',
      'a hundred identical requests at two servers buy one upload, and all get its one answer',
    ),
  ]),
  attack('A06', 'one payment for different requests at once', [
    shown('api/replay', 'fifty pairs of one payment with two bodies have one effect each'),
    shown(
      'recovery/two-servers',
      'one payment for fifty different requests at two servers at once buys one of them, and the others are told of the conflict',
    ),
  ]),
  attack('A07', 'byte variants of one authorization', [
    shown(
      'api/refused-evm',
      'another letter case of addresses and nonce, and fields beside, are the same payment',
    ),
    shown(
      'api/binding',
      'a signature that writes v as 0 or 1 pays, and is the same payment as with 27 or 28',
    ),
    refusedEvm('the high-s twin of its signature', 'a compact signature (EIP-2098)'),
    shown(
      'api/refused-solana-envelope',
      "garbage in the fee payer's place of a Solana payment does not make it another payment",
    ),
  ]),
  attack('A08', 'one nonce by two payers', [
    shown('api/binding', 'one nonce of two wallets is two payments'),
  ]),
  attack('A09', 'one Idempotency-Key by two payers or on two routes', [
    shown('api/replay', 'one key of two wallets is two calls'),
    shown('api/replay', 'one key for another body is a conflict, and the second payment is not charged'),
    shown('api/binding', 'one key of one wallet is for one operation'),
    shown(
      'api/binding',
      'one key of one wallet is one call on whatever network the second payment is signed for',
    ),
  ]),
  attack('A10', 'another key on the same envelope', [
    shown('api/replay', 'one payment on … buys one body, one operation, under one key'),
    shown(
      'api/hostile-headers',
      'a key in the header that differs from the one in the payment is refused and charges nothing',
    ),
  ]),
  attack('A11', 'an observer of the chain rebuilds the payment', [
    shown('api/replay', 'a payment on … rebuilt from what is public opens nothing'),
    shown(
      'api/mpp',
      'a credential rebuilt from public calldata under a challenge of the attacker opens nothing',
    ),
    shown(
      'recovery/repeated',
      'who copies a payment from the chain while its call is under way learns nothing and disturbs nothing',
    ),
  ]),
  attack('A12', 'amounts below, above, and spelled in tricky ways', [
    refusedEvm(
      'less',
      'more',
      'nothing',
      '5e3',
      '05000',
      '0x1388',
      '５０００',
      'a value that is a number',
      'beyond 256 bits',
    ),
    refusedSolana('pays less', 'pays more', 'pays nothing'),
  ]),
  attack('A13', 'another asset, network, payee, scheme or version', [
    refusedEvm(
      'another network than it signed for',
      'another scheme',
      'another asset',
      'another payee',
      'pays itself',
      'is of version',
    ),
    shown(
      'api/refused-solana-envelope',
      'a Solana payment that … is refused, charges nothing and spoils nothing',
      ['another payee', 'another token', 'claims to be on Base'],
    ),
  ]),
  attack('A14', 'a lie about the EIP-712 domain', [
    refusedEvm('signs another domain,', 'another token name', 'no token name'),
    shown(
      'recovery/wrong-chain',
      'a network whose node serves another chain is not offered, and the others are',
    ),
  ]),
  attack('A15', 'time windows at their edges', [
    refusedEvm(
      'a window that is over',
      'a window that is all but over',
      'a window that has not begun',
      'a window until 2100',
      'a window until the end of time',
    ),
  ]),
  attack('A16', 'the window ends while the payment waits', [
    shown(
      'recovery/expired',
      'a payment whose window ends while it waits to be broadcast is refused, and was never charged',
    ),
    shown(
      'recovery/solana',
      'a Solana payment whose blockhash dies while its broadcast is lost ends refused: 402 and never charged',
    ),
    shown(
      'recovery/solana',
      'a Solana payment of a killed server whose blockhash is young is not refused before its time',
    ),
  ]),
  attack('A17', 'balance moved or authorization cancelled between verification and settlement', [
    shown(
      'recovery/third-parties',
      'a balance that goes away between verification and settlement is a 402 with its reason, and nothing is delivered',
    ),
    shown(
      'recovery/third-parties',
      'an authorization that is cancelled between verification and settlement is a 402 with its reason, and nothing is delivered',
    ),
    shown(
      'recovery/third-parties',
      'an authorization that is cancelled while the server is dead ends refused',
    ),
    shown(
      'api/refused-by-chain',
      'an authorization that its payer has cancelled on … buys nothing, and the next one does',
    ),
  ]),
  attack('A18', 'a third party submits the authorization first', [
    shown(
      'recovery/third-parties',
      'a payment that a stranger submits first is paid: delivered once, under the transaction of the stranger',
    ),
    shown(
      'recovery/third-parties',
      'a payment that a stranger submits while the server is dead is found and delivered by recovery',
    ),
  ]),
  attack(
    'A19',
    'work is done before payment',
    [
      shown(
        'recovery/flood',
        'fifty clients that send worthless payments without a pause do not keep an honest one from being served, send nothing and write nothing',
      ),
    ],
    'calls of providers and renders for refused payments: no service that has any is sold yet',
  ),
  attack('A20', 'an unknown settlement answered with a fresh challenge', [
    shown(
      'recovery/lost-answers',
      'a payment whose broadcast … is made once and delivered in the first answer',
    ),
    shown(
      'recovery/lost-answers',
      'a receipt that does not come is answered 503 and never 402, and the same request gets its upload later',
    ),
    shown('recovery/database', 'a repetition that cannot be looked up is not told that nothing was charged'),
    lostSettlements,
    crashPoints,
  ]),
  attack('A21', 'a claim let go on an exception', [
    shown('recovery/kill', 'killed at «…», the same request ends with the one upload it paid for'),
    shown(
      'recovery/database',
      'a database that commits … and loses its answer costs nobody anything: the same request ends with one upload',
    ),
    crashPoints,
  ]),
  attack('A22', 'a transaction that succeeds and moves nothing', [
    shown(
      'recovery/third-parties',
      'a balance that goes away between verification and settlement is a 402 with its reason, and nothing is delivered',
    ),
    shown(
      'recovery/lying-nodes',
      'a node that calls a payment good whose payer has no money is found out when it settles: 402, nothing delivered',
    ),
  ]),
  attack('A23', 'contract wallets and wrapped signatures', [
    refusedEvm(
      'a signature wrapped for a contract wallet (EIP-6492)',
      'is a Permit2 payload',
      'a payer who did not sign',
      'a signature of zeros',
    ),
  ]),
  attack('A24', 'an asset that burns gas', [refusedEvm('another asset', 'verifyingContract')]),
  attack('A25', 'overdraft by parallel authorizations', [
    shown(
      'api/concurrency',
      'a wallet with money for one call and twenty authorizations is charged once and owes nothing',
    ),
    shown(
      'api/refused-by-chain',
      'twenty payments from a wallet with money for one: one is served, and none of the others is left open',
    ),
  ]),
  attack('A26', 'denial of settlement', [
    shown(
      'recovery/flood',
      'fifty clients that send worthless payments without a pause do not keep an honest one from being served, send nothing and write nothing',
    ),
    shown(
      'recovery/lying-nodes',
      'a settlement key without gas money takes no payments: 503 before anything is written, and the same payment is good once it has some',
    ),
    shown('api/concurrency', 'a hundred payers at once with one settlement key all succeed'),
  ]),
  attack('A27', 'gaps in the nonces of the settlement key', [
    shown('recovery/kill', 'killed at «…», recovery delivers within 30 s though the client never returns'),
    shown(
      'recovery/pending',
      'killed while its transaction waits for a block, it takes that one up again and sends no other',
    ),
    shown('recovery/pending', 'a transaction that the node forgets before it is mined is sent again'),
    crashPoints,
  ]),
  attack('A28', 'draining the fee payer on Solana', [
    refusedSolana(
      "spends the fee payer's lamports",
      "moves the fee payer's own tokens",
      'names the fee payer in an instruction',
      'hides accounts in a lookup table',
      'runs another program as well',
      'wants another fee payer',
    ),
  ]),
  attack('A29', 'compute price on Solana', [
    refusedSolana('offers too high a priority fee', 'asks for too much computing'),
  ]),
  attack('A30', 'duplicate settlement on Solana', [
    shown(
      'api/concurrency',
      'a hundred identical requests at once are one transfer, one upload and a hundred equal answers',
    ),
    shown(
      'recovery/two-servers',
      'a hundred identical requests at two servers buy one upload, and all get its one answer',
    ),
    shown(
      'recovery/repeated',
      'after a kill and a restart, what was bought is answered again to the byte and never charged again',
    ),
    shown(
      'recovery/solana',
      'on Solana, killed at «…», recovery delivers within 30 s and the same request gets it',
    ),
  ]),
  attack('A31', 'two transfers, another account or mint on Solana', [
    refusedSolana(
      'moves money twice',
      'moves another token',
      'pays somebody else',
      'has more than a memo at its end',
    ),
  ]),
  attack('A32', 'forged or altered MPP challenges', [
    shown('api/mpp', 'a credential with … is refused, uncharged'),
    shown('api/mpp', 'an unreadable credential (…) is refused with a problem document'),
  ]),
  attack('A33', 'the digest of the body in MPP', [
    shown('api/mpp', 'a body changed between challenge and payment is refused, uncharged'),
    shown(
      'api/mpp',
      'an unpaid call is asked for payment on every EVM network, base first, with its body bound',
    ),
  ]),
  attack('A34', 'MPP methods, intents and types confused', [
    shown('api/mpp', 'a credential with … is refused, uncharged'),
  ]),
  attack('A35', 'games with headers', [
    shown('api/hostile-headers', 'two payments in one request are refused, and neither is taken'),
    shown('api/hostile-headers', 'the same payment under both header names is one payment'),
    shown('api/hostile-headers', '… twice in one request is refused, even with equal values'),
    shown('api/hostile-headers', '… is read whatever its letter case'),
    shown('api/mpp', 'two credentials in one request are refused with 400'),
  ]),
  attack('A36', 'size and depth of headers', [
    shown('api/hostile-headers', 'a payment padded to … KB by the extensions it echoes works'),
    shown('api/hostile-headers', '… KB of payment header are refused as too large'),
    shown('api/hostile-headers', '… KB of headers are 431, in the words of every other error'),
    shown('api/hostile-headers', 'a payment header that is … is refused with a reason', [
      'three thousand nested lists',
      'three thousand nested objects',
    ]),
  ]),
  attack(
    'A37',
    'shared caches and other origins',
    [
      shown('api/challenge', '… … without payment says what it costs, the same in header and body (…)'),
      shown('api/challenge', 'a browser may send …'),
      shown(
        'recovery/repeated',
        'who copies a payment from the chain while its call is under way learns nothing and disturbs nothing',
      ),
    ],
    'a caching proxy between client and service',
  ),
  attack('A38', 'the gate walked round by method or path', [
    shown('api/hostile-paths', 'POST … serves nothing unpaid'),
    shown('api/hostile-paths', 'a payment at … buys at most what it is for'),
    shown('api/hostile-paths', '… … is a method that the address does not take'),
    shown('api/hostile-paths', 'X-HTTP-Method-Override: … on a POST deletes and reads nothing'),
    shown('api/front-door', '… … is refused alike by the front door and by the route behind it'),
  ]),
  attack('A39', 'Host and X-Forwarded-Host', [
    shown('api/challenge', 'the address in a challenge is the configured one, whatever … says (…)'),
  ]),
  attack('A40', 'a reorganization after delivery', [], 'finality is being built'),
  attack(
    'A41',
    'nodes that lie or lag',
    [
      lostSettlements,
      shown(
        'recovery/wrong-chain',
        'a network whose node serves another chain is not offered, and the others are',
      ),
      shown(
        'recovery/lying-nodes',
        'a node that calls a payment good whose payer has no money is found out when it settles: 402, nothing delivered',
      ),
      shown(
        'recovery/lost-answers',
        'a receipt that the node denies for a while is waited for, and no second transaction is sent',
      ),
    ],
    'one of two nodes makes up a receipt: the test is written and cannot pass yet',
  ),
  attack('A42', 'spikes of the gas price', [], 'replacing stuck transactions is being built'),
  attack('A43', 'details in error messages', [
    shown('recovery/lying-nodes', 'what a node says and where it is are nothing that a caller is told'),
    shown('api/invalid-input', 'at most three faults are named, and none of what was sent comes back'),
  ]),
  attack('A44', 'guessing ids', [
    shown(
      'unit/ids',
      'the id of a paid call is drawn from more than 128 bits, and ten thousand of them differ everywhere',
    ),
    shown('api/buy-upload', 'nobody learns of a paid call without its id'),
    shown(
      'api/binding',
      'what is told of a paid call is its money and its state, exactly, and never its content',
    ),
  ]),
  attack(
    'A45',
    'documents and challenges drift apart',
    [
      shown('repo/prices', 'a price is spelled in the catalog and nowhere else'),
      shown('api/challenge', '… … describes itself so that the official validators agree'),
    ],
    'the discovery documents are not served yet',
  ),
];
