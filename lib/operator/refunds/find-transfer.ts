import { type Refund, usedTransfers } from '@/lib/ledger/refunds';
import type { OperatorApp } from '@/lib/operator/app';
import type { CandidateTransfer, RefundReader, RefundTransfer } from '@/lib/payments/refund-transfer';

/** How a search goes about transactions that are not clearly the refund. */
interface SearchOptions {
  /** The refund's own transaction waits for a block, so only what was signed for its call is taken instead. */
  readonly isWaiting?: boolean;
  /** Gets a transaction about which the nodes do not agree. */
  readonly onUnclear?: (hash: string) => void;
}

/**
 * Looks for the transfer of a refund from the wallet among the treasury's: the wallet may have sent it without saying so, or
 * replaced it with one of a higher fee. One that was signed for the refund's call comes before one that does not say what it
 * was signed for, and one that was signed for something else is not taken.
 * @returns the hash of a transaction with a transfer that is no other refund; null when there is none
 */
export async function findTransaction(
  app: OperatorApp,
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
 * The transfers of a transaction that a refund may be, the likeliest first: those that no other refund is. A refund that names
 * the transaction has one of them too, also before it knows which one.
 * @param refund null for one that has not begun
 */
export async function freeTransfers(
  app: OperatorApp,
  network: string,
  transactionHash: string,
  refund: Pick<Refund, 'id' | 'transactionHash'> | null,
  transfers: readonly CandidateTransfer[],
): Promise<readonly CandidateTransfer[]> {
  const { indexes, undecided } = await usedTransfers(app, network, transactionHash, refund?.id ?? null);
  const free = transfers
    .filter(({ index }) => !indexes.has(index))
    .toSorted((one, other) => byLikelihood.indexOf(one.signedFor) - byLikelihood.indexOf(other.signedFor));
  // Of several refunds that name it, the first one to be looked at decides.
  if (refund?.transactionHash === transactionHash) return free;
  return free.slice(0, Math.max(0, free.length - undecided));
}
