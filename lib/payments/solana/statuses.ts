import { Connection } from '@solana/web3.js';
import { GroupCommit } from '@/lib/concurrency/group-commit';
import type { FinalityStatus, SettledTransaction } from '@/lib/payments/payment';

/** A transaction that a slot holds. */
export interface Landed {
  readonly kind: 'confirmed' | 'failed';
  readonly slot: bigint;
  readonly isFinal: boolean;
}

/** Where a submitted transaction stands. `unclear`: it may have landed or not, or those that answer disagree. */
type TransactionStatus = Landed | { readonly kind: 'absent' | 'unclear' };

export function hasLanded(status: TransactionStatus): status is Landed {
  return status.kind === 'confirmed' || status.kind === 'failed';
}

/** What the cluster says of submitted transactions. */
export class SolanaStatuses {
  readonly #witnesses: readonly Connection[];
  readonly #statuses: GroupCommit<string, TransactionStatus>;

  /** @param rpcUrls where several are given, what all of them that answer agree on counts */
  constructor(rpcUrls: readonly string[]) {
    this.#witnesses = rpcUrls.map(connectTo);
    this.#statuses = new GroupCommit((signatures) => this.#statusGroup(signatures), {
      sizeMax: 256,
      inFlightMax: 2,
    });
  }

  /** Asks for a status together with every other that is asked at the moment. */
  of(signature: string): Promise<TransactionStatus> {
    return this.#statuses.add(signature);
  }

  /** Holds settled transactions against the cluster. One that a finalized slot should hold and does not is gone. */
  async review(transactions: readonly SettledTransaction[]): Promise<ReadonlyMap<string, FinalityStatus>> {
    const statuses = new Map<string, FinalityStatus>();
    const [witness] = this.#witnesses;
    if (transactions.length === 0 || !witness) return statuses;
    const finalizedSlot = BigInt(await witness.getSlot('finalized'));
    await Promise.all(
      transactions.map(async ({ hash, block }) => {
        const status = await this.of(hash);
        if (hasLanded(status)) {
          const slot = { number: status.slot, hash: null };
          statuses.set(hash, { kind: status.isFinal ? 'final' : 'included', block: slot });
        } else if (status.kind === 'absent' && block && finalizedSlot > block.number) {
          statuses.set(hash, { kind: 'vanished' });
        }
      }),
    );
    return statuses;
  }

  /** A node may lag, and one may lie: where they disagree, nothing is known. */
  async #statusGroup(signatures: readonly string[]): Promise<TransactionStatus[]> {
    const answers = await Promise.allSettled(
      this.#witnesses.map((connection) => statusesAt(connection, signatures)),
    );
    const given = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const [first, ...others] = given;
    if (!first) throw (answers[0] as PromiseRejectedResult).reason;
    return first.map((status, index) => {
      const isUnanimous = others.every((other) => other[index]?.kind === status.kind);
      return isUnanimous ? status : { kind: 'unclear' };
    });
  }
}

/** A node that says nothing must not keep waiting what is asked after it. */
const timeoutMs = 10_000;
const fetchInTime: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });

/** A connection to a node, which asks nothing yet. A node that limits us is not waited for. */
export function connectTo(url: string): Connection {
  return new Connection(url, {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
    fetch: fetchInTime,
  });
}

async function statusesAt(
  connection: Connection,
  signatures: readonly string[],
): Promise<TransactionStatus[]> {
  const { value } = await connection.getSignatureStatuses([...signatures], {
    searchTransactionHistory: true,
  });
  return signatures.map((_, index) => {
    const status = value[index];
    if (!status) return { kind: 'absent' };
    // One node has run it; whether the cluster keeps its block is open.
    if (status.confirmationStatus === 'processed') return { kind: 'unclear' };
    const isFinal = status.confirmationStatus === 'finalized';
    return { kind: status.err ? 'failed' : 'confirmed', slot: BigInt(status.slot), isFinal };
  });
}
