import { type Attack, attack, shown } from './attack';

const attacks = (title: string) => shown('recovery/channel-attacks', title);
const clients = (title: string) => shown('recovery/channel-clients', title);
const claims = (title: string) => shown('recovery/channel-claims', title);
const deposits = (title: string) => shown('recovery/channel-deposits', title);
const hostile = (title: string) => shown('recovery/channel-hostile', title);
const refunds = (title: string) => shown('recovery/channel-refunds', title);
const withdrawals = (title: string) => shown('recovery/channel-withdrawals', title);
const book = (title: string) => shown('repo/channel-book', title);
const promises = (title: string) => shown('repo/channel-refunds', title);
const payload = (title: string) => shown('unit/channel-payload', title);

/** Attacks on payment channels. */
export const onChannels: readonly Attack[] = [
  attack('V01', 'one voucher for one request, many times at once', [
    attacks('the same voucher with the same request, many times at once on two servers, buys one call (V01)'),
    book('of many vouchers for one total at once, one pays (V01, C3)'),
  ]),
  attack('V02', 'a voucher for another path or body', [
    attacks('a voucher that has paid for a call pays for no other body and no other path (V02)'),
  ]),
  attack('V03', 'an old voucher after later calls', [
    attacks('an old voucher gets the answer of its own request again, and nothing else (V03)'),
  ]),
  attack('V04', 'totals that skip ahead or are off by one', [
    attacks('a total that skips ahead, falls behind or is off by one buys nothing (V04)'),
    book(
      'a total that skips ahead, or is not one price above the last one, is refused and frees its authorization (V04)',
    ),
  ]),
  attack('V05', 'a channel that is unknown, with a low total', [
    attacks('of a channel that we never saw, what was claimed counts as spent (V05)'),
    book('a channel begins where the chain has it, not where the client says (V05)'),
  ]),
  attack('V06', 'buying after a withdrawal has begun', [
    attacks('what a payer has begun to withdraw is spent no more, however long ago that was (V06)'),
    book('a total never passes the balance, less what is being withdrawn (V06, V08, C1)'),
  ]),
  attack('V07', 'withdrawing at the first second', [
    claims('a withdrawal that begins is answered by a claim, and the payer takes the rest (V07)'),
    withdrawals('a server that is killed … it broadcasts the claim that answers a withdrawal claims once'),
    withdrawals('a withdrawal that begins while the node is down is answered when it is back'),
  ]),
  attack('V08', 'calls at once at the end of the balance', [
    attacks('the last money of a channel buys one call, and the other call is told to deposit (V08)'),
    hostile(
      'vouchers for the last money of a channel, in any order on two servers, never go beyond it, and the client tops up (V08)',
    ),
  ]),
  attack('V09', 'signatures in forms that the contract does not take', [
    hostile('each form of a signature is refused, or made the one that the contract takes (V09)'),
    payload('only signatures that the contract takes are accepted, in one form (V09)'),
  ]),
  attack('V10', 'a voucher key that is not the payer', [
    attacks('what is not exactly our terms, or not exactly signed, is refused (V09, V10, V11, V12)'),
    payload(
      "a voucher key other than the payer's own proves nothing about the payer, and none at all neither (V10)",
    ),
  ]),
  attack('V11', 'other terms, another chain, other letter case', [
    hostile('a channel has one row, whatever the letter case, and other terms are other channels (V11)'),
    payload('a channel is one, whatever the letter case of its addresses (V11)'),
  ]),
  attack('V12', 'amounts in unusual notation', [
    hostile('amounts have one form, and any other is refused before anything is charged (V12)'),
    payload('amounts have one form, and fit the contract (V12)'),
  ]),
  attack('V13', 'deposits that are too small or too large', [
    deposits('a deposit below the least or above the most is refused, and costs no gas (V13)'),
  ]),
  attack('V14', 'a deposit whose money is gone', [
    deposits('a deposit that its payer can no longer afford is refused, and delivers nothing (V14)'),
    deposits('a deposit whose money is spent while it is under way buys nothing (V14)'),
  ]),
  attack('V15', 'a deposit sent twice, or a second one meanwhile', [
    deposits('a deposit that is sent many times at once is made once, and buys one call (V15)'),
    deposits('a second deposit with another salt is not made while the first is under way (V15)'),
  ]),
  attack('V16', 'somebody else submits our transactions', [
    deposits('a deposit that a stranger submits first is in the channel, and the client goes on (V16)'),
    claims('what was spent is claimed, and each event is posted once, whoever sent the transaction (V16)'),
  ]),
  attack('V17', 'a reorganization takes a deposit away', [
    deposits('a deposit that a reorganization takes away is made again, and its call keeps its answer (V17)'),
    deposits(
      'a call whose deposit is taken away and made again stays paid, although its payer withdraws everything before recovery (V17)',
    ),
    book(
      'what was charged before a reorganization stays charged, whatever the channel holds and owes by then (V17)',
    ),
  ]),
  attack('V18', 'one row of a claim that the contract does not take', [
    claims('a channel that cannot be claimed is reported, and the others are claimed (V18)'),
  ]),
  attack('V19', 'refunds during calls, twice, or late', [
    refunds('a request that is sent often, at once and later, is refunded once, with one answer (V19)'),
    refunds('calls during a refund are delivered and claimed, or refused and free (V19)'),
  ]),
  attack('V20', "a refund of a stranger's channel, or with an old voucher", [
    refunds("nobody is refunded for a stranger's channel, an old voucher, or too much (V20)"),
    promises('a voucher seen in a claim closes no channel that is in use (V20)'),
  ]),
  attack('V21', 'deposits and refunds in turns, to burn our gas', [
    refunds('a wallet gets one refund a day, of whichever channel (V21)'),
    promises('simultaneous refund requests for many channels of one wallet get one promise (V21)'),
    promises('a channel is refunded less than 0.10 USDC only as often as it has paid for the gas (V21)'),
    refunds('a client network gets few refunds in an hour that their channels have not paid for (V21)'),
    deposits('a deposit below the least or above the most is refused, and costs no gas (V13)'),
  ]),
  attack('V22', 'thousands of channels that hold little', [
    shown(
      'recovery/channel-collector',
      'thousands of channels with little to claim cost no message, and many that hold nothing keep no other waiting (V22)',
    ),
    shown(
      'repo/ledger-plans',
      'what is done again and again reads a bounded number of rows by indexes, however long the ledger is',
    ),
  ]),
  attack('V23', 'a voucher read from the calldata of a claim', [
    attacks(
      'a voucher that was in a claim is public, and needs the claim token or the key that it came with (V23)',
    ),
  ]),
  attack('V24', 'lost answers, and the unmodified client', [
    clients(
      'an answer to … is lost: the client repeats the call, gets the answer, and is in step again (V24)',
    ),
  ]),
  attack('V25', 'a client without its record', [
    clients('a client that has forgotten its channel goes on where it stands (V25)'),
    clients(
      'one that has forgotten its channel and cannot read the chain is told why, and pays nothing twice (V25)',
    ),
  ]),
  attack('V26', 'parallel calls of one client', [
    clients('calls at once on one channel are charged once each, or not at all (V26)'),
    hostile('parallel calls of one official client are charged once each or not at all (V26)'),
  ]),
  attack('V27', 'a price that changes between offer and payment', [
    attacks('other amounts than those that are offered are a matter of a new challenge (V27)'),
  ]),
  attack('V28', 'one scheme in the offer, another in the payload', [
    attacks('an offer of one scheme is not paid by the other (V28)'),
  ]),
  attack('V29', 'two services with one authorizer and payee', [
    shown(
      'recovery/channel-payees',
      'two services with one payee and authorizer sell for the same vouchers, and only the audit of one finds it (V29)',
    ),
  ]),
];
