import { type Attack, attack, crashPoints, lostSettlements, shown } from './attack';

/** Settlements that are lost, duplicated, blocked or misreported. */
export const settlement: readonly Attack[] = [
  attack('A20', 'an unknown settlement answered with a fresh challenge', [
    shown(
      'recovery/lost-answers',
      'a payment whose broadcast … is made once and delivered in the first response',
    ),
    shown(
      'recovery/lost-answers',
      'a missing receipt gets 503 and never 402, and the same request gets its upload later',
    ),
    shown('recovery/database', 'a retry that cannot be looked up is not told that nothing was charged'),
    lostSettlements,
    crashPoints,
  ]),
  attack('A21', 'a claim lost to an exception', [
    shown('recovery/kill', 'killed at "…", the same request ends with the one upload it paid for'),
    crashPoints,
  ]),
  attack('A26', 'denial of settlement', [
    shown(
      'recovery/flood',
      'fifty clients that flood with worthless payments do not block an honest one, and nothing is broadcast or stored for them',
    ),
    shown(
      'recovery/lying-nodes',
      'without gas money for the settlement key, payments get 503 before anything is stored, and the same payment works later',
    ),
    shown('api/concurrency', 'a hundred simultaneous payers all succeed with one settlement key'),
    shown(
      'recovery/payers-with-code',
      'a delegation to a … set after the simulation fails only its own payment, and the rest of the batch is served',
    ),
    shown(
      'recovery/gas-budget',
      'over its hourly budget a payer gets Retry-After before anything is sent, also from another process and after a restart',
    ),
  ]),
  attack('A27', 'gaps in the nonces of the settlement key', [
    shown(
      'recovery/kill',
      'killed at "broadcast without an acknowledgement", recovery delivers within 30 s though the client never returns',
    ),
    shown(
      'simulation/evm-settler',
      'a nonce for which no transaction is recorded is filled, so that later ones do not wait for it',
    ),
    shown(
      'recovery/pending',
      'a server killed while its transaction waits for a block resumes that one and sends no other',
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
      'a hundred identical requests to two servers buy one upload and all get its one response',
    ),
    shown(
      'recovery/repeated',
      'after a kill and a restart, every replay is byte-identical and never charged again',
    ),
    crashPoints,
  ]),
  attack('A40', 'a reorganization after delivery', [
    shown(
      'recovery/reorganizations',
      'a settlement removed by a reorganization is sent again, and the call keeps its response',
    ),
    shown(
      'unit/evm-finality',
      'a settlement in a new block does not prove one that a reorganization removed before it was recorded',
    ),
    shown('repo/moves-and-postings', 'a reorganization reverses postings, and a deposit is credited once'),
  ]),
  attack('A41', 'nodes that lie or lag', [
    lostSettlements,
    shown('recovery/lying-nodes', 'a receipt that one of two nodes makes up delivers nothing'),
    shown(
      'recovery/wrong-chain',
      'a network whose node serves another chain is not offered, and the others are',
    ),
    shown(
      'recovery/lying-nodes',
      'if a node accepts a payment whose payer has no money, settlement fails: 402, nothing delivered',
    ),
    shown(
      'recovery/lost-answers',
      'a receipt that appears late is waited for, and no second transaction is sent',
    ),
  ]),
  attack('A42', 'spikes of the gas price', [
    shown(
      'simulation/evm-engine',
      'a broadcast that a node has lost is sent again, and one that nobody takes is replaced with higher fees',
    ),
    shown(
      'simulation/evm-settler',
      'a settlement waits while gas costs more than the cap, and is charged once when gas is cheap again',
    ),
  ]),
];
