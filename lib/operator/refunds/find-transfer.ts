import type { Refund } from '@/lib/ledger/refund-records';
import type { CandidateTransfer, RefundReader, RefundTransfer } from '@/lib/payments/refund-transfer';
import type { RefundsApp } from './refundable';

/** How a search treats transactions that are not clearly the refund. */
interface SearchOptions {
  /** The refund's own transaction waits for a block, so only one that was signed for its call may replace it. */
  readonly isWaiting?: boolean;
  /** Gets the hash of a transaction that the nodes disagree about. */
  readonly onUnclear?: (hash: string) => void;
}

/**
 * Searches the treasury's transfers for that of a refund from the wallet: the wallet may have sent it without reporting it, or
 * replaced it with one that pays a higher fee. A transfer that was signed for the refund's call comes before one that does not
 * say what it was signed for. A transfer that was signed for something else is not accepted.
 * @returns the hash of a transaction with a transfer that belongs to no other refund; null when there is none
 */
export async function findTransaction(
  app: Pick<RefundsApp, 'refunds'>,
  reader: RefundReader,
  refund: Refund,
  transfer: RefundTransfer,
  { isWaiting = false, onUnclear }: SearchOptions = {},
): Promise<string | null> {
  const { id, network, method, sinceHeight, transactionHash } = refund;
  if (method !== 'wallet' || sinceHeight === null) return null;
  let likely: string | null = null;
  for (const hash of await reader.search(transfer, id, sinceHeight)) {
    if (hash === transactionHash) continue;
    const reading = await reader.read(hash, transfer);
    if (reading.kind === 'unclear') onUnclear?.(hash);
    if (reading.kind !== 'found') continue;
    const [first] = await freeTransfers(app, network, hash, refund, reading.transfers);
    if (first?.signedFor === 'this_call') return hash;
    if (first?.signedFor === 'unknown' && !isWaiting) likely ??= hash;
  }
  return likely;
}

/** What a transfer was signed for, the likeliest refund first. */
const byLikelihood: readonly CandidateTransfer['signedFor'][] = ['this_call', 'unknown', 'another'];

/**
 * The transfers of a transaction that may belong to a refund, the likeliest first: those that belong to no other refund.
 * Another refund that names the transaction also takes one of them, even before it is known which one.
 * @param refund null for a refund that has not begun
 */
export async function freeTransfers(
  app: Pick<RefundsApp, 'refunds'>,
  network: string,
  transactionHash: string,
  refund: Pick<Refund, 'id' | 'transactionHash'> | null,
  transfers: readonly CandidateTransfer[],
): Promise<readonly CandidateTransfer[]> {
  const { indexes, undecided } = await app.refunds.usedTransfers(
    network,
    transactionHash,
    refund?.id ?? null,
  );
  const free = transfers
    .filter(({ index }) => !indexes.has(index))
    .toSorted((one, other) => byLikelihood.indexOf(one.signedFor) - byLikelihood.indexOf(other.signedFor));
  // If several refunds name it, the first one that is checked decides.
  if (refund?.transactionHash === transactionHash) return free;
  return free.slice(0, Math.max(0, free.length - undecided));
}
