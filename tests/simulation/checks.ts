import { openSettlementStates, paidStates } from '@/lib/ledger/states';
import { onAccount, type Payment } from '@/lib/payments/payment';
import { isSubmitted } from '@/packages/paywall/memory/memory-charges';
import type { PaidCallRow, PostingRow } from '@/packages/paywall/memory/memory-rows';
import { isRequestOf, type Order } from './buyers';
import { paidOutOf } from './channels/contract';
import { refundedInto, refundedOn } from './refunds/checks';
import { inclusionOf, keyOf, receivedOn, type Transfer, transfersOf, wasDisturbed } from './transfers';
import { settlementKeys, startGasWei, type World } from './world';

/** A promise that does not hold. */
export interface Violation {
  readonly promise: string;
  /** What it is about: names that occur in the log. */
  readonly names: readonly string[];
}

/** Holds the promises of docs/reliability.md against rows, chain and what each buyer was told, once a history has ended. */
export function findViolations(world: World, orders: readonly Order[]): Violation[] {
  const transfers = transfersOf(world);
  const { paidCall } = world.database.tables;
  const ofPayments = orders.flatMap((order) =>
    order.payments.flatMap((payment) => {
      const row = paidCall.first((call) => isFor(call, order, payment)) ?? null;
      const transfer = transfers.get(keyOf(payment)) ?? null;
      const names = [order.name, ...(row ? [row.id] : [])];
      return ofPayment(world, order, { payment, row, transfer }).map((promise) => ({ promise, names }));
    }),
  );
  return [
    ...ofPayments,
    ...orders.flatMap((order) => ofOrder(world, order)),
    ...ofKeys(world, orders, transfers),
    ...ofAccounts(world),
    ...ofThirdParty(world, orders),
    ...ofTransactions(world),
    ...ofBooks(world),
    ...ofSigners(world),
  ];
}

/** Several orders may have a voucher for the same total, and it pays for one of them. */
function isFor(call: PaidCallRow, order: Order, payment: Payment): boolean {
  return keyOf(call) === keyOf(payment) && (call.channelId === null || isRequestOf(order, call));
}

interface Paid {
  readonly payment: Payment;
  readonly row: PaidCallRow | null;
  readonly transfer: Transfer | null;
}

function ofPayment(world: World, order: Order, { payment, row, transfer }: Paid): string[] {
  const broken: string[] = [];
  if (!row) {
    if (transfer?.isOurs) broken.push('we made a transfer for a payment that no call has');
    return broken;
  }
  const isPaid = paidStates.includes(row.state);
  const isOnChain = row.network !== onAccount && row.channelId === null;
  const wasCharged = isOnChain ? transfer?.isOurs === true : isPaid;
  if (row.state === 'claimed' || isSubmitted(row))
    broken.push(`the call is ${row.state} long after all faults ended`);
  if (row.state === 'settled' && order.operation !== 'third-party')
    broken.push('the call is paid, and was not delivered');
  if (row.state === 'needs_attention' && order.operation !== 'third-party')
    broken.push('the call needs attention, although nothing is wrong with it');
  if (isPaid && isOnChain && !transfer)
    broken.push(`the call is ${row.state}, and the chain has no transfer`);
  // What never left the process is refused for good. Its buyer may still pay, for nothing; the audit finds that.
  const isPaidForNothing = row.settlementId === null && row.transactionHash === null && !transfer?.isOurs;
  if (row.state === 'refused' && transfer && !isPaidForNothing)
    broken.push('the call is refused, and the chain has its transfer');
  if (row.state === 'refused' && row.refusalFinalAt === null) broken.push('the refusal is not final');
  if (isPaid && transfer && row.transactionHash !== transfer.hash)
    broken.push(
      `the call has the transaction ${row.transactionHash}, and ${transfer.hash} made its transfer`,
    );
  const requests = order.requests.filter((request) => keyOf(request.payment) === keyOf(payment));
  // A key belongs to its first payment: a request that carries another one may charge that.
  const asking = order.idempotencyKey === null ? requests : order.requests;
  const last = asking.at(-1)?.answer?.kind;
  // Whoever asks again may be charged. A payment that its payer has spent or canceled failed in a block; once that is removed,
  // it may be made after all.
  const isAfterAll = isPaid && wasDisturbed(world, payment);
  if ((last === 'refused' || last === 'uncharged') && wasCharged && !isAfterAll)
    broken.push('the last answer was that nothing is charged, and it was');
  const wasAnswered = requests.some(({ answer }) => answer?.kind === 'answered');
  if (wasAnswered && !isPaid && row.reorganizations === 0) broken.push('it was delivered, and is not paid');
  return broken;
}

/** A buyer gets one thing for one payment, and the same each time that it asks. Nobody else gets it. */
function ofOrder(world: World, order: Order): Violation[] {
  const { name, payments, requests, idempotencyKey, toStrangers, toWallet } = order;
  const answers = requests.flatMap(({ payment, answer }) =>
    answer?.kind === 'answered' ? [{ payment, text: `${answer.paidCallId} ${answer.text}` }] : [],
  );
  // Whoever asks with a key asks for one thing, whatever it pays with.
  const isOneThing = idempotencyKey !== null && !payments.some((payment) => isUndone(world, payment));
  const asked = isOneThing ? [payments] : payments.map((payment) => [payment]);
  const differing = asked.flatMap((of) => {
    const texts = new Set(answers.filter(({ payment }) => of.includes(payment)).map(({ text }) => text));
    return texts.size > 1 ? [`it was answered in different ways: ${[...texts].join(' and ')}`] : [];
  });
  const toStranger = toStrangers.some(({ kind }) => kind === 'answered')
    ? ['a stranger got what was bought']
    : [];
  const texts = answers.map(({ text }) => text);
  const toItsWallet = toWallet.flatMap((answer) => {
    if (answer === 'paid again') return ['its wallet was asked to pay for what it had bought'];
    if (answer === null) return [];
    const ofSameCall = texts.filter((text) => text.startsWith(`${answer.paidCallId} `));
    const isOther = ofSameCall.length > 0 && !ofSameCall.includes(`${answer.paidCallId} ${answer.text}`);
    return answer.kind === 'answered' && isOther ? ['its wallet got something else than was bought'] : [];
  });
  return [...differing, ...toStranger, ...toItsWallet].map((promise) => ({ promise, names: [name] }));
}

/** Whether a reorganization has undone a call, so that its key may have become free again. */
function isUndone({ database }: World, payment: Payment): boolean {
  const row = database.tables.paidCall.first((call) => keyOf(call) === keyOf(payment));
  return row !== undefined && row.reorganizations > 0;
}

/** One payment is made for all that is asked under a key. */
function ofKeys(
  world: World,
  orders: readonly Order[],
  transfers: ReadonlyMap<string, Transfer>,
): Violation[] {
  const { paidCall } = world.database.tables;
  const paidByUs = paidCall.where(
    ({ network, channelId, state }) =>
      (network === onAccount || channelId !== null) && paidStates.includes(state),
  );
  const chargesOf = (order: Order) =>
    [...new Map(order.payments.map((payment) => [keyOf(payment), payment])).values()].filter(
      (payment) =>
        paidByUs.some((call) => isFor(call, order, payment)) || transfers.get(keyOf(payment))?.isOurs,
    );
  const byKey = new Map<string, Order[]>();
  for (const order of orders) {
    const key = `${order.payer.name} ${order.idempotencyKey}`;
    if (order.idempotencyKey !== null) byKey.set(key, [...(byKey.get(key) ?? []), order]);
  }
  return [...byKey.values()].flatMap((of) => {
    const payments = of.flatMap((order) => order.payments);
    const isAfterAll = payments.some((payment) => wasDisturbed(world, payment));
    return of.flatMap(chargesOf).length > 1 && !isAfterAll
      ? { promise: 'it was paid for twice under one key', names: of.map(({ name }) => name) }
      : [];
  });
}

/** An account holds what was credited to it, less what it has paid for. */
function ofAccounts(world: World): Violation[] {
  const { accounts, database } = world;
  const { accountBalance, paidCall, posting } = database.tables;
  return accounts.flatMap(({ id, openedWith }) => {
    const deposited = sumOf(paidCall.where(({ creditedAccount }) => creditedAccount === id));
    const credited = deposited + refundedInto(world, id);
    const spent = sumOf(
      paidCall.where(
        ({ network, payer, state }) => network === onAccount && payer === id && paidStates.includes(state),
      ),
    );
    const balance = accountBalance.get(id)?.balanceAtomic ?? 0n;
    const booked = openedWith - balanceOf(posting.all(), (name) => name === `account:${id}`);
    if (balance === openedWith + credited - spent && balance === booked) return [];
    const promise = `the account holds ${balance}, its postings say ${booked}, and its calls ${openedWith + credited - spent}`;
    return { promise, names: [id] };
  });
}

/** A third party is asked once, and again only when the buyer asks again. */
function ofThirdParty({ services, database }: World, orders: readonly Order[]): Violation[] {
  return [...services.asked].flatMap(([id, times]) => {
    const row = database.tables.paidCall.get(id);
    const order = row && orders.find((one) => one.payments.some((payment) => isFor(row, one, payment)));
    const most = Math.max(1, order ? order.requests.length + order.toWallet.length : 0);
    if (!row || !paidStates.includes(row.state))
      return row && row.reorganizations > 0
        ? []
        : { promise: `a third party served ${id} unpaid`, names: [id] };
    const names = [id, order?.name ?? ''];
    return times > most ? { promise: `a third party was asked ${times} times`, names } : [];
  });
}

/** Nothing is open, and what is confirmed is in its chain. */
function ofTransactions(world: World): Violation[] {
  return world.database.tables.settlementTransaction.all().flatMap((row) => {
    const { network, hash, signer, state, finalAt } = row;
    const names = [hash];
    const block = inclusionOf(world, network, hash);
    // Somebody else's may come back when the payment was made in another way.
    if (signer === null && block?.isSuccess === false) return [];
    if (openSettlementStates.includes(state))
      return { promise: `the transaction is ${state} in the end`, names };
    // One that a reorganization has brought back is followed again.
    if (state !== 'confirmed')
      return block ? { promise: `the transaction is ${state}, and the chain has it`, names } : [];
    if (!block) return { promise: 'the transaction is confirmed, and the chain does not have it', names };
    // Where on Solana a failed transaction has ended is not recorded: it has paid for nothing, and costs the same everywhere.
    const isElsewhere = BigInt(block.number) !== row.blockNumber || block.hash !== row.blockHash;
    if (isElsewhere && (block.isSuccess || network === 'base'))
      return { promise: 'the transaction is recorded in another block', names };
    return finalAt === null ? { promise: 'the transaction is not final', names } : [];
  });
}

/** What our books say about an account: debits less credits. */
function balanceOf(postings: readonly PostingRow[], isOf: (account: string) => boolean): bigint {
  return postings.reduce((sum, { debitAccount, creditAccount, amountAtomic }) => {
    const debit = isOf(debitAccount) ? amountAtomic : 0n;
    const credit = isOf(creditAccount) ? amountAtomic : 0n;
    return sum + debit - credit;
  }, 0n);
}

/** The books agree with the chains: what was received, what is owed, what gas cost. */
function ofBooks(world: World): Violation[] {
  const { database, chain, solana } = world;
  const postings = database.tables.posting.all();
  const violations: Violation[] = [];
  const expect = (what: string, booked: bigint, real: bigint) => {
    if (booked !== real)
      violations.push({ promise: `${what}: the books say ${booked}, and it is ${real}`, names: [] });
  };
  const booked = (isOf: (account: string) => boolean) => balanceOf(postings, isOf);
  const paid = database.tables.paidCall.where(({ state }) => paidStates.includes(state));
  const owed = paid.filter(({ state }) => state === 'settled' || state === 'needs_attention');
  // A deposit is owed to its account.
  const earned = paid.filter(
    ({ state, creditedAccount }) => (state === 'delivered' || state === 'kept') && creditedAccount === null,
  );
  for (const network of ['base', 'solana-mainnet'] as const) {
    const isTransferred = (row: PaidCallRow) => row.network === network && row.channelId === null;
    const sum = sumOf(paid.filter(isTransferred)) + (network === 'base' ? paidOutOf(world) : 0n);
    const refunded = refundedOn(world, network);
    expect(
      `calls paid on ${network}`,
      booked((name) => name === `chain:${network}:treasury`),
      sum - refunded,
    );
    // A transfer whose payment was rejected, and which its buyer made without us, is no call's.
    const received = receivedOn(world, network);
    if (received + refunded < sum)
      violations.push({
        promise: `calls worth ${sum} are paid, ${refunded} are refunded, and ${received} are there on ${network}`,
        names: [],
      });
  }
  expect('owed to callers', -booked((name) => name.startsWith('prepaid:')), sumOf(owed));
  expect('earned', -booked((name) => name.startsWith('revenue:')), sumOf(earned));
  const gasOf = (network: string, signer: string) =>
    -booked((name) => name === `chain:${network}:gas:${signer}`);
  for (const { address } of settlementKeys)
    expect(`gas of ${address}`, gasOf('base', address), startGasWei - chain.gasOf(address));
  if (solana) expect('fees on Solana', gasOf('solana-mainnet', solana.feePayer), solana.feesPaid);
  return violations;
}

function sumOf(rows: readonly PaidCallRow[]): bigint {
  return rows.reduce((total, row) => total + row.amountAtomic, 0n);
}

/** No nonce is missing, so that later transactions do not wait for it. */
function ofSigners({ database, chain }: World): Violation[] {
  return settlementKeys.flatMap(({ address }) => {
    const lease = database.tables.settlementSigner.first(({ signer }) => signer === address);
    const from = address.toLowerCase() as `0x${string}`;
    const isWaiting = chain.mempool.senders().includes(from);
    if (isWaiting) return { promise: `a transaction of ${address} waits for a nonce`, names: [address] };
    const next = chain.nonceOf(address);
    return lease?.nextNonce && Number(lease.nextNonce) > next
      ? {
          promise: `the next nonce of ${address} is ${lease.nextNonce}, and the chain expects ${next}`,
          names: [address],
        }
      : [];
  });
}
