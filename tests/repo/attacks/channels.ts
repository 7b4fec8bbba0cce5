import { type Attack, attack, shown } from './attack';

const attacks = (title: string) => shown('recovery/channel-attacks', title);
const clients = (title: string) => shown('recovery/channel-clients', title);
const claims = (title: string) => shown('recovery/channel-claims', title);
const deposits = (title: string) => shown('recovery/channel-deposits', title);
const hostile = (title: string) => shown('recovery/channel-hostile', title);
const refunds = (title: string) => shown('recovery/channel-refunds', title);
const withdrawals = (title: string) => shown('recovery/channel-withdrawals', title);
/** Payers, strangers, nodes and reorganizations do all that they can, at several servers that are killed now and then. */
const histories = shown(
  'simulation/channel-histories',
  'calls paid through channels are delivered, claimed and refunded once while everything goes wrong',
);
const book = (title: string) => shown('repo/channel-book', title);
const promises = (title: string) => shown('repo/channel-refunds', title);
const payload = (title: string) => shown('unit/channel-payload', title);

/** Attacks on payment channels. */
export const onChannels: readonly Attack[] = [
  attack('V01', 'one voucher for one request, many times at once', [
    histories,
    book('one of many simultaneous vouchers for one total pays'),
  ]),
  attack('V02', 'a voucher for another path or body', [
    attacks('a voucher that has paid for a call pays for no other body and no other path'),
  ]),
  attack('V03', 'an old voucher after later calls', [
    attacks('an old voucher gets the answer of its own request again, and nothing else'),
  ]),
  attack('V04', 'totals that skip ahead or are off by one', [
    histories,
    book(
      'a total that skips ahead, or is not one price above the last one, is refused and frees its authorization',
    ),
  ]),
  attack('V05', 'a channel that is unknown, with a low total', [
    book('a channel begins where the chain has it, not where the client says'),
  ]),
  attack('V06', 'buying after a withdrawal has begun', [
    histories,
    book('a total never passes the balance, less what is being withdrawn'),
  ]),
  attack('V07', 'withdrawing at the first second', [
    claims('a withdrawal that begins is answered by a claim, and the payer takes the rest'),
    withdrawals('a withdrawal whose logs the node leaves out until its block is final is answered then'),
    histories,
  ]),
  attack('V08', 'calls at once at the end of the balance', [
    hostile(
      'vouchers for the last money of a channel, in any order on two servers, never go beyond it, and the client tops up',
    ),
  ]),
  attack('V09', 'signatures in forms that the contract does not take', [
    hostile('each form of a signature is refused, or made the one that the contract takes'),
    payload('only signatures that the contract takes are accepted, in one form'),
  ]),
  attack('V10', 'a voucher key that is not the payer', [
    attacks('a voucher with other terms or another signature is refused'),
    payload(
      "a voucher key other than the payer's own proves nothing about the payer, and none at all neither (V10)",
    ),
  ]),
  attack('V11', 'other terms, another chain, other letter case', [
    payload('a channel is one, whatever the letter case of its addresses'),
    payload(
      'a channel with another receiver, authorizer, token or delay is not ours, and any other salt is another channel',
    ),
  ]),
  attack('V12', 'amounts in unusual notation', [payload('amounts have one form, and fit the contract')]),
  attack('V13', 'deposits that are too small or too large', [
    payload('a deposit below the least, above the most, or near its end is refused'),
  ]),
  attack('V14', 'a deposit whose money is gone', [
    deposits('a deposit that its payer can no longer afford is refused, and delivers nothing'),
    deposits('a deposit whose money is spent while it is under way buys nothing'),
  ]),
  attack('V15', 'a deposit sent twice, or a second one meanwhile', [
    deposits('a deposit that is sent many times at once is made once, and buys one call'),
    deposits('a second deposit with another salt is not made while the first is under way'),
  ]),
  attack('V16', 'somebody else submits our transactions', [
    deposits('a deposit that a stranger submits first is in the channel, and the client goes on'),
    claims(
      'the collector claims spent funds, and each event is posted once, no matter who sent the transaction',
    ),
  ]),
  attack('V17', 'a reorganization takes a deposit away', [
    deposits(
      'a call whose deposit is removed and can never be made again stays paid, and its channel takes what is deposited next',
    ),
    histories,
    book('a charge made before a reorganization stays, whatever the channel holds and owes by then'),
  ]),
  attack('V18', 'one row of a claim that the contract does not take', [
    claims('a channel that cannot be claimed is reported, and the others are claimed'),
  ]),
  attack('V19', 'refunds during calls, twice, or late', [
    refunds('a request that is sent often, at once and later, is refunded once, with one answer'),
    promises('an amount that is promised back cannot be spent, even by simultaneous requests'),
    histories,
  ]),
  attack('V20', "a refund of a stranger's channel, or with an old voucher", [
    refunds("nobody is refunded for a stranger's channel, an old voucher, or too much (V20)"),
    promises('a voucher seen in a claim closes no channel that is in use'),
  ]),
  attack('V21', 'deposits and refunds in turns, to burn our gas', [
    promises('simultaneous refund requests for many channels of one wallet get one promise'),
    promises('a channel is refunded less than 0.10 USDC only as often as it has paid for the gas'),
    refunds('a client network gets few refunds in an hour that their channels have not paid for'),
    payload('a deposit below the least, above the most, or near its end is refused'),
  ]),
  attack('V22', 'thousands of channels that hold little', [
    shown(
      'recovery/channel-collector',
      'thousands of channels with little to claim cost no message, and many that hold nothing keep no other waiting',
    ),
    shown(
      'repo/ledger-plans',
      'repeated statements read a bounded number of rows by indexes, however long the ledger is',
    ),
  ]),
  attack('V23', 'a voucher read from the calldata of a claim', [
    attacks(
      'a voucher that was in a claim is public, and needs the claim token or the key that it came with',
    ),
  ]),
  attack('V24', 'lost answers, and the unmodified client', [
    clients('an answer to … is lost: the client repeats the call, gets the answer, and is in step again'),
  ]),
  attack('V25', 'a client without its record', [
    clients('a client that has forgotten its channel goes on where it stands'),
    clients('a client that lost its channel and cannot read the chain is told why, and pays nothing twice'),
  ]),
  attack('V26', 'parallel calls of one client', [
    hostile('parallel calls of one official client are charged once each or not at all'),
  ]),
  attack('V27', 'a price that changes between offer and payment', [
    attacks('other amounts than those that are offered are a matter of a new challenge'),
  ]),
  attack('V28', 'one scheme in the offer, another in the payload', [
    attacks('an offer of one scheme is not paid by the other'),
  ]),
  attack('V29', 'two services with one authorizer and payee', [
    shown(
      'recovery/channel-payees',
      'two services with one payee and authorizer sell for the same vouchers, and only the audit of one finds it',
    ),
  ]),
];
