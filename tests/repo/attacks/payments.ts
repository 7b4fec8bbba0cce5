import { type Attack, attack, refusedEvm, refusedSolana, shown } from './attack';

/** Payments that are invalid, or become invalid. */
export const payments: readonly Attack[] = [
  attack('A12', 'amounts too low, too high or in unusual notation', [
    refusedEvm(
      'less',
      'more',
      'nothing',
      'with an exponent',
      'with a leading zero',
      'in hexadecimal',
      'in full-width digits',
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
      'changed Solana payments are refused uncharged with a reason, and the honest payment still works',
      ['another payee', 'another token', 'claims to be on Base'],
    ),
  ]),
  attack('A14', 'a wrong EIP-712 domain', [
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
      'a payment that expires while it waits for broadcast is refused and never charged',
    ),
    shown(
      'simulation/solana-settler',
      'a payment on Solana that never got into a block is refused once its blockhash has expired, and not before',
    ),
  ]),
  attack('A17', 'balance spent or authorization canceled between verification and settlement', [
    shown(
      'simulation/evm-settler',
      'a payment is refused as … when its payer has acted between the check and the block',
    ),
    shown(
      'simulation/settlement-orders',
      'a payment whose authorization its payer has canceled is refused for good once the cancellation is final',
    ),
    shown(
      'api/refused-by-chain',
      'an authorization canceled by its payer on … buys nothing, and the next one works',
    ),
  ]),
  attack('A18', 'a third party submits the authorization first', [
    shown(
      'recovery/expired',
      'a payment that a stranger submits in time, and that expires before our broadcast, is delivered and gets no 402',
    ),
    shown(
      'simulation/evm-settler',
      'a payment that somebody else submits first is found by the logs of its authorization alone',
    ),
    shown(
      'recovery/refusals',
      'over …, the same request finds a refused payment that someone submits later, and gets its form and token once',
    ),
    shown(
      'api/refused-by-chain',
      'an authorization used elsewhere on … gets 409 and one entry on the worklist',
    ),
  ]),
  attack('A22', 'a transaction that succeeds and moves nothing', [
    shown(
      'unit/authorized-transfers',
      'a transfer belongs to one authorization alone, whichever others are used beside it',
    ),
    shown(
      'simulation/evm-settler',
      'a payment is refused as … when its payer has acted between the check and the block',
    ),
    shown(
      'recovery/lying-nodes',
      'if a node accepts a payment whose payer has no money, settlement fails: 402, nothing delivered',
    ),
  ]),
  attack('A23', 'contract wallets and wrapped signatures', [
    shown('recovery/hostile-wallets', 'nothing that an ERC-6492 wrapper names is ever called'),
    shown(
      'recovery/hostile-wallets',
      'wallets that answer anything but yes are refused before anything is broadcast, and no honest payer notices',
    ),
    shown(
      'recovery/hostile-wallets',
      'wallets that answer by what they see of the block pay once or not at all, at a bounded cost',
    ),
    shown(
      'recovery/contract-wallets',
      'the same payment of a contract wallet gets the stored response without a chain; a forged signature on it gets nothing',
    ),
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
      'a wallet with money for one call is charged once for twenty authorizations, and owes nothing',
    ),
    shown(
      'api/refused-by-chain',
      'one of twenty payments from a wallet with money for one is served, and none is left open',
    ),
    shown(
      'recovery/pending',
      'money in pending transactions does not count as balance: a payment that it no longer covers is refused before it costs gas',
    ),
    shown(
      'repo/journal-interleavings',
      'a charge that one process sends while another refuses it is either sent or refused, whichever is first',
    ),
    shown(
      'recovery/solana',
      'Solana payments of one account are sent in parallel while its balance covers them; the rest cost no fee',
    ),
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
  attack('A31', 'two transfers, another account or mint on Solana', [
    refusedSolana(
      'moves money twice',
      'moves another token',
      'pays somebody else',
      'has more than a memo at its end',
    ),
  ]),
];
