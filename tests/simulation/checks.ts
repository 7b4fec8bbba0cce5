import { openSettlementStates, paidStates } from '@/lib/ledger/states';
import type { Payment } from '@/lib/payments/payment';
import type { Order } from './buyers';
import { topics } from './evm/usdc-words';
import { isSubmitted } from './stores/memory-charges';
import type { PaidCallRow, PostingRow } from './stores/memory-rows';
import { settlementKeys, startGasWei, type World } from './world';

/** A promise that does not hold. */
export interface Violation {
  readonly promise: string;
  /** What it is about: names that occur in the log. */
  readonly names: readonly string[];
}

/** A transfer that the chain has in the end, by the authorization that made it. */
interface Transfer {
  readonly hash: string;
  readonly isOurs: boolean;
}

/** Holds the promises of docs/reliability.md against rows, chain and what each buyer was told, once a history has ended. */
export function findViolations(world: World, orders: readonly Order[]): Violation[] {
  const transfers = transfersOf(world);
  const { paidCall } = world.database.tables;
  const paymentsOf = orders.flatMap((order) =>
    order.payments.map((payment) => [keyOf(payment), order] as const),
  );
  const orderOf = new Map(paymentsOf);
  const ofPayments = orders.flatMap((order) =>
    order.payments.flatMap((payment) => {
      const row = paidCall.first((call) => keyOf(call) === keyOf(payment)) ?? null;
      const transfer = transfers.get(keyOf(payment)) ?? null;
      const names = [order.name, ...(row ? [row.id] : [])];
      return ofPayment(world, order, { payment, row, transfer }).map((promise) => ({ promise, names }));
    }),
  );
  return [
    ...ofPayments,
    ...orders.flatMap((order) => ofOrder(world, order, transfers)),
    ...ofThirdParty(world, orderOf),
    ...ofTransactions(world),
    ...ofBooks(world),
    ...ofSigners(world),
  ];
}

function keyOf({ payer, authorization }: { readonly payer: string; readonly authorization: string }): string {
  return `${payer.toLowerCase()} ${authorization}`;
}

function transfersOf({ chain }: World): ReadonlyMap<string, Transfer> {
  const ours = new Set(settlementKeys.map(({ address }) => address.toLowerCase()));
  const found = new Map<string, Transfer>();
  for (let block: typeof chain.head | null = chain.head; block; block = block.parent)
    for (const { transaction, logs } of block.transactions)
      for (const {
        topics: [kind, payer, nonce],
      } of logs) {
        if (kind !== topics.used || !payer || !nonce) continue;
        const isOurs = ours.has(transaction.from);
        found.set(`0x${payer.slice(26)} ${nonce}`, { hash: transaction.hash, isOurs });
      }
  return found;
}

interface Paid {
  readonly payment: Payment;
  readonly row: PaidCallRow | null;
  readonly transfer: Transfer | null;
}

function ofPayment(world: World, order: Order, { payment, row, transfer }: Paid): string[] {
  const { hasReorganized } = world;
  const broken: string[] = [];
  if (!row) {
    if (transfer?.isOurs) broken.push('we made a transfer for a payment that no call has');
    return broken;
  }
  const isPaid = paidStates.includes(row.state);
  if (row.state === 'claimed' || isSubmitted(row))
    broken.push(`the call is ${row.state} long after all faults ended`);
  if (row.state === 'settled' && order.operation !== 'third-party')
    broken.push('the call is paid, and was not delivered');
  if (isPaid && !transfer) broken.push(`the call is ${row.state}, and the chain has no transfer`);
  // What never left the process is refused for good. Its buyer may still pay, for nothing; the audit finds that.
  const isPaidForNothing = row.settlementId === null && row.transactionHash === null && !transfer?.isOurs;
  if (row.state === 'refused' && transfer && !isPaidForNothing)
    broken.push('the call is refused, and the chain has its transfer');
  if (row.state === 'refused' && row.refusalFinalAt === null) broken.push('the refusal is not final');
  if (isPaid && transfer && row.transactionHash !== transfer.hash)
    broken.push(
      `the call has the transaction ${row.transactionHash}, and ${transfer.hash} made its transfer`,
    );
  const requests = order.requests.filter((request) => request.payment === payment);
  // A key belongs to its first payment: a request that carries another one may charge that.
  const asking = order.idempotencyKey === null ? requests : order.requests;
  const last = asking.at(-1)?.answer?.kind;
  // Whoever asks again may be charged. A payment that its payer has spent or canceled failed in a block; once that is removed,
  // it may be made after all.
  const isAfterAll = hasReorganized && isPaid;
  if ((last === 'refused' || last === 'uncharged') && transfer?.isOurs && !isAfterAll)
    broken.push('the last answer was that nothing is charged, and we made the transfer');
  const wasAnswered = requests.some(({ answer }) => answer?.kind === 'answered');
  if (wasAnswered && !isPaid && row.reorganizations === 0) broken.push('it was delivered, and is not paid');
  return broken;
}

/** A buyer gets one thing for one payment, and the same each time that it asks. */
function ofOrder(
  { hasReorganized }: World,
  { name, payments, requests, idempotencyKey }: Order,
  transfers: ReadonlyMap<string, Transfer>,
): Violation[] {
  const names = [name];
  const violations: Violation[] = [];
  const made = payments.filter((payment) => transfers.get(keyOf(payment))?.isOurs);
  if (made.length > 1 && idempotencyKey !== null && !hasReorganized)
    violations.push({ promise: 'it was paid for twice under one key', names });
  for (const payment of payments) {
    const answers = requests.flatMap((request) =>
      request.payment === payment && request.answer?.kind === 'answered'
        ? [`${request.answer.paidCallId} ${request.answer.text}`]
        : [],
    );
    if (new Set(answers).size > 1)
      violations.push({ promise: `it was answered in different ways: ${answers.join(' and ')}`, names });
  }
  return violations;
}

/** A third party is asked once, and again only when the buyer asks again. */
function ofThirdParty({ services, database }: World, orderOf: ReadonlyMap<string, Order>): Violation[] {
  return [...services.asked].flatMap(([id, times]) => {
    const row = database.tables.paidCall.get(id);
    const order = row && orderOf.get(keyOf(row));
    const most = Math.max(1, order?.requests.length ?? 0);
    if (!row || !paidStates.includes(row.state))
      return row && row.reorganizations > 0
        ? []
        : { promise: `a third party served ${id} unpaid`, names: [id] };
    const names = [id, order?.name ?? ''];
    return times > most ? { promise: `a third party was asked ${times} times`, names } : [];
  });
}

/** Nothing is open, and what is confirmed is in the chain. */
function ofTransactions({ database, chain }: World): Violation[] {
  return database.tables.settlementTransaction
    .all()
    .flatMap(({ hash, signer, state, blockHash, finalAt }) => {
      const names = [hash];
      const block = chain.blocks.blockOf(hash as `0x${string}`, chain.head);
      const mined = block?.transactions.find(({ transaction }) => transaction.hash === hash);
      // Somebody else's may come back when the payment was made in another way.
      if (signer === null && mined?.isSuccess === false) return [];
      if (openSettlementStates.includes(state))
        return { promise: `the transaction is ${state} in the end`, names };
      // One that a reorganization has brought back is followed again.
      if (state !== 'confirmed')
        return block ? { promise: `the transaction is ${state}, and the chain has it`, names } : [];
      if (!block) return { promise: 'the transaction is confirmed, and the chain does not have it', names };
      if (block.hash !== blockHash) return { promise: 'the transaction is recorded in another block', names };
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

/** The books agree with the chain: what was received, what is owed, what gas cost. */
function ofBooks(world: World): Violation[] {
  const { database, chain, payee } = world;
  const postings = database.tables.posting.all();
  const violations: Violation[] = [];
  const expect = (what: string, booked: bigint, real: bigint) => {
    if (booked !== real)
      violations.push({ promise: `${what}: the books say ${booked}, and it is ${real}`, names: [] });
  };
  const received = chain.usdcOf(payee);
  const paid = database.tables.paidCall.where(({ state }) => paidStates.includes(state));
  const owed = paid.filter(({ state }) => state === 'settled' || state === 'needs_attention');
  const earned = paid.filter(({ state }) => state === 'delivered' || state === 'kept');
  const sum = (rows: readonly PaidCallRow[]) => rows.reduce((total, row) => total + row.amountAtomic, 0n);
  expect(
    'calls paid',
    balanceOf(postings, (name) => name === 'chain:base:treasury'),
    sum(paid),
  );
  expect('owed to callers', -balanceOf(postings, (name) => name.startsWith('prepaid:')), sum(owed));
  expect('earned', -balanceOf(postings, (name) => name.startsWith('revenue:')), sum(earned));
  // A transfer whose payment was rejected, and which its buyer made without us, is no call's.
  if (received < sum(paid))
    violations.push({ promise: `calls worth ${sum(paid)} are paid, and ${received} came in`, names: [] });
  for (const { address } of settlementKeys) {
    const spent = startGasWei - chain.gasOf(address);
    const booked = -balanceOf(postings, (name) => name === `chain:base:gas:${address}`);
    expect(`gas of ${address}`, booked, spent);
  }
  return violations;
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
