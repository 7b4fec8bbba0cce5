import { Connection, SolanaJSONRPCError, SolanaJSONRPCErrorCode } from '@solana/web3.js';
import { GroupCommit } from '@/lib/concurrency/group-commit';
import type { FinalityStatus, SettledTransaction } from '@/lib/payments/payment';

/** A transaction that is in a slot. */
export interface Landed {
  readonly kind: 'confirmed' | 'failed';
  readonly slot: bigint;
  readonly isFinal: boolean;
}

/** No node has a status of it. */
interface Absent {
  readonly kind: 'absent';
  /** The slot up to which all have looked. Nodes that share one address may be far apart. */
  readonly untilSlot: bigint;
}

/** The status of a submitted transaction. `unclear`: it may have landed, or the RPCs disagree. */
type TransactionStatus = Landed | Absent | { readonly kind: 'unclear' };

export function hasLanded(status: TransactionStatus): status is Landed {
  return status.kind === 'confirmed' || status.kind === 'failed';
}

/** Reads the status of submitted transactions. */
export class SolanaStatuses {
  readonly #witnesses: readonly Connection[];
  readonly #statuses: GroupCommit<string, TransactionStatus>;

  /** @param rpcUrls with several, all that respond must agree */
  constructor(rpcUrls: readonly string[]) {
    this.#witnesses = rpcUrls.map(connectTo);
    this.#statuses = new GroupCommit((signatures) => this.#statusGroup(signatures), {
      sizeMax: 256,
      inFlightMax: 2,
    });
  }

  /** Reads a status, in one request with all others that are read at the moment. */
  of(signature: string): Promise<TransactionStatus> {
    return this.#statuses.add(signature);
  }

  /**
   * Checks settled transactions. One has vanished when its slot is final and does not contain it. That it has no status does
   * not prove it: nodes forget statuses, and answer before they have read them.
   */
  async checkFinality(
    transactions: readonly SettledTransaction[],
  ): Promise<ReadonlyMap<string, FinalityStatus>> {
    const statuses = new Map<string, FinalityStatus>();
    const [witness] = this.#witnesses;
    if (transactions.length === 0 || !witness) return statuses;
    const finalizedSlot = BigInt(await witness.getSlot('finalized'));
    await Promise.all(
      transactions.map(async ({ hash, block }) => {
        const status = await this.of(hash);
        if (status.kind === 'confirmed') {
          const slot = { number: status.slot, hash: null };
          statuses.set(hash, { kind: status.isFinal ? 'final' : 'included', block: slot });
        } else if (status.kind === 'failed') {
          if (status.isFinal) statuses.set(hash, { kind: 'failed' });
        } else if (status.kind === 'absent' && block && finalizedSlot > block.number) {
          if (await this.#isMissingFrom(block.number, hash)) statuses.set(hash, { kind: 'vanished' });
        }
      }),
    );
    return statuses;
  }

  /** Whether the nodes that know a finalized slot say that it does not contain a transaction. */
  async #isMissingFrom(slot: bigint, signature: string): Promise<boolean> {
    const blocks = await Promise.all(
      this.#witnesses.map((connection) => finalizedSignatures(connection, Number(slot)).catch(() => null)),
    );
    const known = blocks.filter((signatures) => signatures !== null);
    return known.length > 0 && known.every((signatures) => !signatures.includes(signature));
  }

  /** A node may lag behind or lie, so when they disagree the status is unclear. */
  async #statusGroup(signatures: readonly string[]): Promise<TransactionStatus[]> {
    const answers = await Promise.allSettled(
      this.#witnesses.map((connection) => statusesAt(connection, signatures)),
    );
    const given = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const [first, ...others] = given;
    if (!first) throw (answers[0] as PromiseRejectedResult).reason;
    return first.map((status, index) =>
      others.reduce((agreed, other) => agreementOf(agreed, other[index]), status),
    );
  }
}

function agreementOf(one: TransactionStatus, other: TransactionStatus | undefined): TransactionStatus {
  if (one.kind !== other?.kind) return { kind: 'unclear' };
  if (one.kind !== 'absent' || other.kind !== 'absent') return one;
  return one.untilSlot < other.untilSlot ? one : other;
}

/** By which a node says that a slot was skipped, or that it does not have it. */
const skippedCodes: readonly unknown[] = [
  SolanaJSONRPCErrorCode.JSON_RPC_SERVER_ERROR_SLOT_SKIPPED,
  SolanaJSONRPCErrorCode.JSON_RPC_SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
];

/** Among how many slots the next block is looked for: far more than are skipped in a row. */
const blocksSearched = 1_000;

/** Limits how long a silent node delays the next requests. */
const timeoutMs = 10_000;
const fetchInTime: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });

/** Opens a connection without a request. A node's rate limit is an error, not a reason to wait. */
export function connectTo(url: string): Connection {
  return new Connection(url, {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
    fetch: fetchInTime,
  });
}

/** The newest block of a node that is final. */
export interface Head {
  /** Counts slots that were skipped too. */
  readonly slot: bigint;
  readonly height: bigint;
}

/** Reads slot and height at once: nodes that share one address may be far apart. */
export async function finalizedHead(connection: Connection): Promise<Head> {
  const { absoluteSlot, blockHeight } = await connection.getEpochInfo('finalized');
  if (blockHeight === undefined) throw new Error('the node does not tell its block height');
  return { slot: BigInt(absoluteSlot), height: BigInt(blockHeight) };
}

/**
 * The signatures of the transactions in a slot, none when the cluster skipped it.
 * @throws when the node does not have the slot
 */
async function finalizedSignatures(connection: Connection, slot: number): Promise<readonly string[]> {
  try {
    return (await connection.getBlockSignatures(slot, 'finalized')).signatures;
  } catch (error) {
    const mayBeSkipped = error instanceof SolanaJSONRPCError && skippedCodes.includes(error.code);
    if (mayBeSkipped && (await isSkipped(connection, slot))) return [];
    throw error;
  }
}

/** Nodes say the same of a slot that was skipped and of one that they missed. The block after a skipped one follows one before it. */
async function isSkipped(connection: Connection, slot: number): Promise<boolean> {
  const [next] = await connection.getBlocks(slot + 1, slot + blocksSearched, 'finalized');
  return next !== undefined && (await connection.getBlockSignatures(next, 'finalized')).parentSlot < slot;
}

async function statusesAt(
  connection: Connection,
  signatures: readonly string[],
): Promise<TransactionStatus[]> {
  const { context, value } = await connection.getSignatureStatuses([...signatures], {
    searchTransactionHistory: true,
  });
  const untilSlot = BigInt(context.slot);
  return signatures.map((_, index) => {
    const status = value[index];
    if (!status) return { kind: 'absent', untilSlot };
    // One node has processed it, but the cluster may not keep its block.
    if (status.confirmationStatus === 'processed') return { kind: 'unclear' };
    const isFinal = status.confirmationStatus === 'finalized';
    return { kind: status.err ? 'failed' : 'confirmed', slot: BigInt(status.slot), isFinal };
  });
}
