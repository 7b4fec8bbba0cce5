import { type Attack, attack, refusedEvm, shown } from './attack';

/** Replays of a payment: by its payer, by an observer, or for something else. */
export const replays: readonly Attack[] = [
  attack('A01', 'replay of a used envelope, same request', [
    shown('api/replay', 'the identical request on … gets the identical response and is not charged again'),
    shown('api/mpp', 'a repeated credential gets the same response and is not charged again'),
    shown(
      'recovery/repeated',
      'after a kill and a restart, every replay is byte-identical and never charged again',
    ),
    shown(
      'recovery/expired-answers',
      'over … a stored response is erased once it has expired and its settlement is final; a retry gets an error that says so and is not charged',
    ),
  ]),
  attack('A02', 'replay on another route, or on the other rail', [
    shown('api/replay', 'one payment on … buys one body, one operation, under one key'),
    shown(
      'api/binding',
      'an unused payment for an upload can pay for a renewal of the same price instead, once',
    ),
    shown(
      'api/binding',
      'a deletion on … cannot be paid at the price of a renewal, nor a renewal at that of a deletion',
    ),
    shown('api/mpp', 'a credential for another operation of the same price is refused, uncharged'),
    shown('api/mpp', 'an x402 payment buys nothing on an MPP path, nor an MPP credential on an x402 path'),
  ]),
  attack('A03', 'body swap under one envelope', [
    shown('api/replay', 'one payment on … buys one body, one operation, under one key'),
    shown('api/replay', 'other order and spacing of the JSON make the same request'),
    shown('api/mpp', 'a body changed between challenge and payment is refused, uncharged'),
  ]),
  attack('A04', 'path id swap on renewal and deletion', [
    shown('api/binding', 'a payment on … for … {id}… of one upload does not pay for another'),
    shown('api/buy-upload', 'another wallet on … cannot renew or delete, and is not charged'),
    shown(
      'api/contract-wallets',
      'the owner of a contract on another network can neither renew nor delete what was bought on this one',
    ),
  ]),
  attack('A05', 'many identical requests at once', [
    shown(
      'api/concurrency',
      'a hundred simultaneous identical requests make one transfer and one upload, and get equal responses',
    ),
    shown('api/mpp', 'thirty simultaneous identical requests are charged once and get the same response'),
    shown(
      'recovery/two-servers',
      'a hundred identical requests to two servers buy one upload and all get its one response',
    ),
  ]),
  attack('A06', 'one payment for different requests at once', [
    shown('api/replay', 'exactly one of two bodies with one payment is served, fifty times'),
    shown(
      'recovery/two-servers',
      'one payment for fifty different requests to two servers buys one of them, and the others get a conflict',
    ),
  ]),
  attack('A07', 'byte variants of one authorization', [
    shown(
      'api/refused-evm',
      'other letter case in addresses and nonce, and extra fields, make the same payment',
    ),
    shown(
      'api/binding',
      'a signature with v as 0 or 1 is accepted, and is the same payment as with 27 or 28',
    ),
    refusedEvm('the high-s twin of its signature', 'a compact signature (EIP-2098)'),
    shown(
      'api/refused-solana-envelope',
      'garbage in the signature slot of the fee payer does not make a Solana payment another one',
    ),
  ]),
  attack('A08', 'one nonce by two payers', [
    shown('api/binding', 'the same nonce from two wallets is two payments'),
  ]),
  attack('A09', 'one Idempotency-Key by two payers or on two routes', [
    shown('api/replay', 'the same key from two wallets is two calls'),
    shown('api/replay', 'a key sent with another body is a conflict, and the second payment is not charged'),
    shown('api/binding', 'a key of a wallet belongs to one operation'),
    shown(
      'api/contract-wallets',
      'the owner of a contract on another network gets nothing under the key of this one, and pays nothing',
    ),
    shown(
      'api/contract-wallets',
      'one of two owners who use one key at once is served, and the other gets a conflict',
    ),
    shown(
      'api/binding',
      'a key of a wallet belongs to one call, even if a second payment is signed for another network',
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
    shown('api/replay', 'a payment on … rebuilt from public data gets nothing'),
    shown(
      'api/mpp',
      'a credential rebuilt from public calldata under a challenge of the attacker gets nothing',
    ),
    shown(
      'recovery/repeated',
      'a stranger who copies a payment from the chain during its call gets nothing and disturbs nothing',
    ),
    shown(
      'recovery/refusals',
      'a stranger who submits a refused payment gets nothing, and its payer gets the form',
    ),
    shown(
      'api/replay-proof',
      'no authorization on … that would not pay for it gets the response of a call paid on base',
    ),
    shown(
      'api/replay-proof',
      'no transaction that would not pay for it gets the response of a call paid on Solana',
    ),
    shown(
      'api/replay-proof',
      'no credential that would not pay for it gets the response of a call paid over MPP',
    ),
  ]),
];
