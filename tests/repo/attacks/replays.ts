import { type Attack, attack, refusedEvm, shown } from './attack';

/** The same payment again: by its payer, by an observer, for something else. */
export const replays: readonly Attack[] = [
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
      'a stranger who copies a payment from the chain during its call learns nothing and disturbs nothing',
    ),
    shown(
      'recovery/refusals',
      'a stranger who submits a refused payment gets nothing, and its payer gets the form',
    ),
    shown(
      'api/replay-proof',
      'a call that was paid on base is opened by no authorization on … that would not pay for it',
    ),
    shown(
      'api/replay-proof',
      'a call that was paid on Solana is opened by no transaction that would not pay for it',
    ),
    shown(
      'api/replay-proof',
      'a call that was paid over MPP is opened by no credential that would not pay for it',
    ),
  ]),
];
