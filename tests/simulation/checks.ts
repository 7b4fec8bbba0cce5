import { openSettlementStates, paidStates } from '@/lib/ledger/states';
import type { Purchase } from './buyers';
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
export function findViolations(world: World, purchases: readonly Purchase[]): Violation[] {
  const transfers = transfersOf(world);
  const { paidCall } = world.database.tables;
  return [
    ...purchases.flatMap((purchase) => {
      const row = paidCall.get(purchase.id) ?? null;
      const transfer = transfers.get(keyOf(purchase)) ?? null;
      return ofPurchase(world, purchase, row, transfer).map((promise) => ({ promise, names: [purchase.id] }));
    }),
    ...ofTransactions(world),
    ...ofBooks(world),
    ...ofSigners(world),
  ];
}

function keyOf({ payment }: Purchase): string {
  return `${payment.payer.toLowerCase()} ${payment.authorization}`;
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

function ofPurchase(
  { hasReorganized }: World,
  { told }: Purchase,
  row: PaidCallRow | null,
  transfer: Transfer | null,
): string[] {
  const broken: string[] = [];
  if (!row) {
    if (transfer?.isOurs) broken.push('we made a transfer for a payment that no call has');
    return broken;
  }
  const isPaid = paidStates.includes(row.state);
  if (isSubmitted(row)) broken.push(`the call is ${row.state} long after all faults ended`);
  if (isPaid && !transfer) broken.push(`the call is ${row.state}, and the chain has no transfer`);
  if (row.state === 'refused' && transfer) broken.push('the call is refused, and the chain has its transfer');
  if (row.state === 'refused' && row.refusalFinalAt === null) broken.push('the refusal is not final');
  if (isPaid && transfer && row.transactionHash !== transfer.hash)
    broken.push(
      `the call has the transaction ${row.transactionHash}, and ${transfer.hash} made its transfer`,
    );
  const wasToldNo = told.includes('refused') || told.includes('rejected');
  // A payment that its payer has spent or canceled failed in a block. Once that is removed, it may be made after all.
  const isAfterAll = hasReorganized && isPaid;
  if (wasToldNo && transfer?.isOurs && !isAfterAll) broken.push('402 was followed by a transfer of ours');
  if (told.includes('settled') && !isPaid && row.reorganizations === 0)
    broken.push('the buyer was told that it is paid, and it is not');
  return broken;
}

/** Nothing is open, and what is confirmed is in the chain. */
function ofTransactions({ database, chain }: World): Violation[] {
  return database.tables.settlementTransaction.all().flatMap(({ hash, state, blockHash, finalAt }) => {
    const names = [hash];
    const block = chain.blocks.blockOf(hash as `0x${string}`, chain.head);
    if (openSettlementStates.includes(state))
      return { promise: `the transaction is ${state} in the end`, names };
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
function ofBooks({ database, chain, payee, revived }: World): Violation[] {
  const postings = database.tables.posting.all();
  const violations: Violation[] = [];
  const expect = (what: string, booked: bigint, real: bigint) => {
    if (booked !== real)
      violations.push({ promise: `${what}: the books say ${booked}, and it is ${real}`, names: [] });
  };
  const received = chain.usdcOf(payee);
  const paid = database.tables.paidCall.where(({ state }) => paidStates.includes(state));
  const owed = paid.filter(({ state }) => state === 'settled' || state === 'needs_attention');
  const sum = (rows: readonly PaidCallRow[]) => rows.reduce((total, row) => total + row.amountAtomic, 0n);
  expect(
    'calls paid',
    balanceOf(postings, (name) => name === 'chain:base:treasury'),
    sum(paid),
  );
  expect('owed to callers', -balanceOf(postings, (name) => name.startsWith('prepaid:')), sum(owed));
  // A transfer whose payment was rejected, and which its buyer made without us, is no call's.
  if (received < sum(paid))
    violations.push({ promise: `calls worth ${sum(paid)} are paid, and ${received} came in`, names: [] });
  for (const { address } of settlementKeys) {
    const spent = startGasWei - chain.gasOf(address);
    const booked = -balanceOf(postings, (name) => name === `chain:base:gas:${address}`);
    // Nobody follows a replaced transaction, so what it costs when it comes back is not booked.
    if (revived.size === 0) expect(`gas of ${address}`, booked, spent);
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
