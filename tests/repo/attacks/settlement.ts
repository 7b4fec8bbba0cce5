import { type Attack, attack, crashPoints, lostSettlements, shown } from './attack';

/** Settlement that is lost, doubled, held up or lied about. */
export const settlement: readonly Attack[] = [
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
  attack('A26', 'denial of settlement', [
    shown(
      'recovery/flood',
      'fifty clients that send worthless payments without a pause do not keep an honest one from being served, send nothing and write nothing',
    ),
    shown(
      'recovery/lying-nodes',
      'a settlement key without gas money takes no payments: 503 before anything is written, and the same payment is good once it has some',
    ),
    shown('api/concurrency', 'a hundred simultaneous payers all succeed with one settlement key'),
    shown(
      'recovery/payers-with-code',
      'a delegation to a … that is set after the simulation fails its own payment alone, and the others of its group are served',
    ),
    shown(
      'recovery/gas-budget',
      'over its hourly budget a payer gets Retry-After before anything is sent, also from another process and after a restart',
    ),
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
  attack('A30', 'duplicate settlement on Solana', [
    shown(
      'api/concurrency',
      'a hundred simultaneous identical requests make one transfer and one upload, and get equal responses',
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
];
