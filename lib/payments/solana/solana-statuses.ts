import {
  type Connection,
  SolanaJSONRPCError,
  SolanaJSONRPCErrorCode,
  type VersionedTransactionResponse,
} from '@solana/web3.js';
import type { FinalityStatus, Outcome, SettledTransaction } from '@/lib/payments/outcome';
import { isPayerProven, type Payment } from '@/lib/payments/payment';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import { GroupCommit } from '@/lib/platform/concurrency/group-commit';
import type { Platform } from '@/lib/platform/platform';
import { connectToEach } from './solana-connections';
import { hasPaid } from './solana-incoming-payments';
import { findTransfer } from './solana-transaction';

/** A transaction that is in a slot. */
export interface Included {
  readonly kind: 'confirmed' | 'failed';
  readonly slot: bigint;
  readonly isFinal: boolean;
}

/** No node has a status for it. */
interface Absent {
  readonly kind: 'absent';
  /** The slot that all nodes have reached. Nodes that share one address may be far apart. */
  readonly untilSlot: bigint;
}

/** It may have landed, or the nodes disagree. */
interface Unclear {
  readonly kind: 'unclear';
  /** The nodes that have a status for it say that it moved money, and the others have none. */
  readonly isForgotten: boolean;
}

type TransactionStatus = Included | Absent | Unclear;

export function isIncluded(status: TransactionStatus): status is Included {
  return status.kind === 'confirmed' || status.kind === 'failed';
}

/** The outcome of a payment. If the cluster drops the slot in which it failed, it may still succeed in a later one. */
export function outcomeIn(transactionHash: string, { kind, slot, isFinal }: Included): Outcome {
  if (kind === 'confirmed') return { kind: 'settled', transactionHash, block: { number: slot, hash: null } };
  const refused = { kind: 'refused', reason: 'invalid_exact_svm_transaction_failed' } as const;
  return isFinal ? refused : { ...refused, isReversible: true };
}

/** Reads the status of submitted transactions. */
export class SolanaStatuses {
  readonly #witnesses: readonly Connection[];
  readonly #statuses: GroupCommit<string, TransactionStatus>;
  /** The last slot whose block was searched. */
  #searchedSlot = 0n;

  /** @param nodes with several, all that respond must agree */
  constructor(app: Pick<Platform, 'timings'>, nodes: RpcNodes) {
    this.#witnesses = connectToEach(app, nodes);
    this.#statuses = new GroupCommit((signatures) => this.#statusGroup(signatures), {
      sizeMax: 256,
      inFlightMax: 2,
    });
  }

  /** Reads a status, in one request with all others that are being read. */
  of(signature: string): Promise<TransactionStatus> {
    return this.#statuses.add(signature);
  }

  /**
   * Reads the status of the transaction that makes a payment. The program of a smart wallet may succeed without paying: then the
   * payment has failed like its transaction would. It is unclear until all nodes say the same of the money.
   */
  async ofPayment(signature: string, payment: Payment): Promise<TransactionStatus> {
    const status = await this.of(signature);
    if (status.kind !== 'confirmed' || isPayerProven(payment)) return status;
    const [first, ...others] = (await this.#transactions(signature)).map((transaction) =>
      transaction && BigInt(transaction.slot) === status.slot ? hasPaid(transaction, payment) : null,
    );
    if (first == null || others.some((other) => other !== first))
      return { kind: 'unclear', isForgotten: false };
    return first ? status : { ...status, kind: 'failed' };
  }

  /** The genesis hash of the cluster that each RPC serves, in their order; null where it does not respond. @throws when none does */
  async genesisHashes(): Promise<(string | null)[]> {
    const genesisHashes = await Promise.allSettled(
      this.#witnesses.map((connection) => connection.getGenesisHash()),
    );
    givenOf(genesisHashes);
    return genesisHashes.map((answer) => (answer.status === 'fulfilled' ? answer.value : null));
  }

  /**
   * The final head: the lowest height and the highest slot that any node reports. No single node can make a transaction look
   * older, and nodes without the transaction must have reached the highest slot.
   */
  async finalizedHead(): Promise<Head> {
    const heads = givenOf(
      await Promise.allSettled(this.#witnesses.map((connection) => headOf(connection, 'finalized'))),
    );
    const { slot } = heads.reduce((one, other) => (other.slot > one.slot ? other : one));
    const { height } = heads.reduce((one, other) => (other.height < one.height ? other : one));
    return { slot, height };
  }

  /**
   * Checks settled transactions. One has vanished when its slot is final and does not contain it. A missing status does not
   * prove that: nodes forget statuses, and answer before they have loaded them.
   */
  async checkFinality(
    transactions: readonly SettledTransaction[],
  ): Promise<ReadonlyMap<string, FinalityStatus>> {
    const statuses = new Map<string, FinalityStatus>();
    if (transactions.length === 0) return statuses;
    const head = await this.finalizedHead();
    const searched = new Map<bigint, { readonly hash: string; readonly isAbsent: boolean }[]>();
    await Promise.all(
      transactions.map(async ({ hash, block }) => {
        const status = await this.of(hash);
        if (status.kind === 'confirmed') {
          const slot = { number: status.slot, hash: null };
          const isMoved = block !== null && block.number !== status.slot;
          // In another slot, the program of a smart wallet may have acted differently.
          const isSure = !isMoved || (await this.#isPlainTransfer(hash));
          statuses.set(
            hash,
            isSure ? { kind: status.isFinal ? 'final' : 'included', block: slot } : { kind: 'vanished' },
          );
        } else if (status.kind === 'failed') {
          if (status.isFinal) statuses.set(hash, { kind: 'failed' });
        } else if (block && head.slot > block.number) {
          const isAbsent = isAbsentUntil(head, status);
          if (isAbsent || (status.kind === 'unclear' && status.isForgotten))
            searched.set(block.number, [...(searched.get(block.number) ?? []), { hash, isAbsent }]);
        }
      }),
    );
    await Promise.all(
      this.#slotsToSearch([...searched.keys()]).map(async (slot) => {
        const { blocks, isComplete } = await this.#finalizedBlocks(slot);
        for (const { hash, isAbsent } of searched.get(slot) ?? []) {
          const kind = verdictOf(blocks, hash);
          if (!isAbsent && (kind === 'vanished' || !isComplete)) continue;
          if (kind)
            statuses.set(hash, kind === 'final' ? { kind, block: { number: slot, hash: null } } : { kind });
        }
      }),
    );
    return statuses;
  }

  /** Whether a transaction always does the same, according to any node that has it. */
  async #isPlainTransfer(signature: string): Promise<boolean> {
    const found = await this.#transactions(signature);
    return found.some((one) => one !== null && findTransfer(one.transaction) !== null);
  }

  /** A transaction as each node that responds has it. */
  async #transactions(signature: string): Promise<(VersionedTransactionResponse | null)[]> {
    const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const;
    return givenOf(
      await Promise.allSettled(
        this.#witnesses.map((connection) => connection.getTransaction(signature, config)),
      ),
    );
  }

  /** The next of these slots, after those of the previous round. Only a few per round, because a block is large. */
  #slotsToSearch(slots: readonly bigint[]): readonly bigint[] {
    const ordered = slots.toSorted((one, other) => Number(one - other));
    const later = ordered.filter((slot) => slot > this.#searchedSlot);
    const round = [...later, ...ordered.filter((slot) => slot <= this.#searchedSlot)].slice(0, slotsPerRound);
    this.#searchedSlot = round.at(-1) ?? 0n;
    return round;
  }

  /** The signatures in a finalized slot, as returned by each node that has it, and whether all other nodes say that they do not. */
  async #finalizedBlocks(
    slot: bigint,
  ): Promise<{ readonly blocks: readonly ReadonlySet<string>[]; readonly isComplete: boolean }> {
    const readings = this.#witnesses.map((connection) => finalizedSignatures(connection, Number(slot)));
    const told = await Promise.allSettled(readings);
    return {
      blocks: told.flatMap((block) => (block.status === 'fulfilled' ? [new Set(block.value)] : [])),
      isComplete: told.every(
        (block) => block.status === 'fulfilled' || isErrorOf(block.reason, missingCodes),
      ),
    };
  }

  /** A node may lag behind or lie, so when they disagree the status is unclear. */
  async #statusGroup(signatures: readonly string[]): Promise<TransactionStatus[]> {
    const answers = await Promise.allSettled(
      this.#witnesses.map((connection) => statusesAt(connection, signatures)),
    );
    const [first, ...others] = givenOf(answers);
    return first.map((status, index) =>
      others.reduce((agreed, other) => agreementOf(agreed, other[index]), status),
    );
  }
}

/**
 * The answers of the nodes that responded.
 * @throws when none has
 */
export function givenOf<T>(answers: readonly PromiseSettledResult<T>[]): [T, ...T[]] {
  const [first, ...others] = answers.flatMap((answer) =>
    answer.status === 'fulfilled' ? [{ told: answer.value }] : [],
  );
  if (!first) throw answers.find((answer) => answer.status === 'rejected')?.reason;
  return [first.told, ...others.map(({ told }) => told)];
}

/** Whether a final block contains a transaction, according to the nodes that have the block; null when none has it, or they disagree. */
function verdictOf(blocks: readonly ReadonlySet<string>[], signature: string): 'final' | 'vanished' | null {
  if (blocks.length === 0) return null;
  if (blocks.every((signatures) => signatures.has(signature))) return 'final';
  return blocks.some((signatures) => signatures.has(signature)) ? null : 'vanished';
}

function agreementOf(one: TransactionStatus, other: TransactionStatus | undefined): TransactionStatus {
  if (one.kind === 'absent' && other?.kind === 'absent') return one.untilSlot < other.untilSlot ? one : other;
  if (other && isIncluded(one) && isIncluded(other) && one.kind === other.kind && one.slot === other.slot)
    return { ...one, isFinal: one.isFinal && other.isFinal };
  const isForgotten = [one, other].every(
    (status) => status?.kind === 'absent' || status?.kind === 'confirmed' || mayBeForgotten(status),
  );
  return { kind: 'unclear', isForgotten: isForgotten && !haveOtherSlots(one, other) };
}

function mayBeForgotten(status: TransactionStatus | undefined): boolean {
  return status?.kind === 'unclear' && status.isForgotten;
}

function haveOtherSlots(one: TransactionStatus, other: TransactionStatus | undefined): boolean {
  return one.kind === 'confirmed' && other?.kind === 'confirmed' && one.slot !== other.slot;
}

/** The codes with which a node says that a slot was skipped, or that it does not have the slot. */
const skippedCodes: readonly unknown[] = [
  SolanaJSONRPCErrorCode.JSON_RPC_SERVER_ERROR_SLOT_SKIPPED,
  SolanaJSONRPCErrorCode.JSON_RPC_SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
];

/** The codes with which a node says that it does not have a block, or that there is none. */
const missingCodes: readonly unknown[] = [
  ...skippedCodes,
  SolanaJSONRPCErrorCode.JSON_RPC_SERVER_ERROR_BLOCK_CLEANED_UP,
  SolanaJSONRPCErrorCode.JSON_RPC_SERVER_ERROR_TRANSACTION_HISTORY_NOT_AVAILABLE,
];

function isErrorOf(error: unknown, codes: readonly unknown[]): boolean {
  return error instanceof SolanaJSONRPCError && codes.includes(error.code);
}

/** How many blocks are searched in a check. */
const slotsPerRound = 20;

/** How many slots are searched for the next block: far more than are skipped in a row. */
const blocksSearched = 1_000;

/** The newest block of a node at a commitment level. */
export interface Head {
  /** Includes skipped slots. */
  readonly slot: bigint;
  readonly height: bigint;
}

/** Whether the nodes without a status for a transaction have reached the given final block. Otherwise it may be in a later one. */
export function isAbsentUntil({ slot }: Pick<Head, 'slot'>, status: TransactionStatus): status is Absent {
  return status.kind === 'absent' && status.untilSlot >= slot;
}

/** Whether a node says that it has not reached the requested slot. */
export function isBehind(error: unknown): boolean {
  return isErrorOf(error, [SolanaJSONRPCErrorCode.JSON_RPC_SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED]);
}

/** Reads slot and height at once: nodes that share one address may be far apart. */
export async function headOf(connection: Connection, commitment: 'confirmed' | 'finalized'): Promise<Head> {
  const { absoluteSlot, blockHeight } = await connection.getEpochInfo(commitment);
  if (blockHeight === undefined) throw new Error('the node does not tell its block height');
  return { slot: BigInt(absoluteSlot), height: BigInt(blockHeight) };
}

/**
 * A height that is not below that of a slot, which another node than that of the head may have reached. A slot has at most one
 * block.
 */
export function heightAt(slot: bigint, head: Head): bigint {
  return slot > head.slot ? head.height + (slot - head.slot) : head.height;
}

/**
 * The signatures of the transactions in a slot, none when the cluster skipped it.
 * @throws when the node does not have the slot
 */
async function finalizedSignatures(connection: Connection, slot: number): Promise<readonly string[]> {
  try {
    return (await connection.getBlockSignatures(slot, 'finalized')).signatures;
  } catch (error) {
    if (isErrorOf(error, skippedCodes) && (await isSkipped(connection, slot))) return [];
    throw error;
  }
}

/**
 * Nodes give the same answer for a slot that was skipped and for one that they missed. After a skipped slot, the next block's
 * parent is in an earlier slot. The first block after a node restarted is listed, but cannot be read.
 */
async function isSkipped(connection: Connection, slot: number): Promise<boolean> {
  const [next] = await connection.getBlocks(slot + 1, slot + blocksSearched, 'finalized');
  if (next === undefined) return false;
  try {
    return (await connection.getBlockSignatures(next, 'finalized')).parentSlot < slot;
  } catch (error) {
    if (isErrorOf(error, missingCodes) || isNotFound(error)) return false;
    throw error;
  }
}

/** web3.js throws a plain error for a block that the node answers with null. */
function isNotFound(error: unknown): boolean {
  return error instanceof Error && /block \d+ not found/i.test(error.message);
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
    // The node has processed it, but the cluster may not keep its block.
    if (status.confirmationStatus === 'processed') return { kind: 'unclear', isForgotten: false };
    const isFinal = status.confirmationStatus === 'finalized';
    return { kind: status.err ? 'failed' : 'confirmed', slot: BigInt(status.slot), isFinal };
  });
}
