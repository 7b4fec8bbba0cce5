import type { Connection } from '@solana/web3.js';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { describeError } from '@/lib/platform/log';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { Transfer } from './solana-transaction';

interface PendingPayment {
  readonly amountAtomic: bigint;
  /** Resolves when its outcome is known. */
  readonly over: Promise<void>;
}

export type Admission =
  /** Call `end` when the outcome of the payment is known. */
  | { readonly kind: 'admitted'; readonly end: () => void }
  /** The token account holds less than the payment, and no other payment is pending. */
  | { readonly kind: 'overdrawn' }
  /** The account's other pending payments did not end in time. */
  | { readonly kind: 'late' };

/**
 * Sends the payments of one token account in parallel while its balance covers all of them, otherwise one after
 * another. Each was valid alone, but an account with money for one payment that signs twenty would make us pay the
 * network fee for twenty. A payer with one payment at a time is not delayed.
 */
export class SolanaOverdraftCheck {
  readonly #app: ChainPlatform;
  readonly #connection: Connection;
  readonly #pending = new Map<string, Map<string, PendingPayment>>();

  constructor(app: ChainPlatform, connection: Connection) {
    this.#app = app;
    this.#connection = connection;
  }

  /**
   * @param authorization the identity of the payment, which is not counted twice
   * @param deadline when to stop waiting, by the clock's `monotonic`
   */
  async admit(transfer: Transfer, authorization: string, deadline: number): Promise<Admission> {
    const pending = this.#pendingAt(transfer);
    if (pending.size === 0 || pending.has(authorization)) return this.#enter(transfer, authorization);
    for (;;) {
      const before = [...this.#pendingAt(transfer).values()];
      const balance = await this.#balanceOf(transfer);
      const others = [...this.#pendingAt(transfer).values()];
      // A payment that ended in the meantime may or may not be in the balance.
      const drawn = new Set([...before, ...others]);
      const needed = [...drawn].reduce((sum, { amountAtomic }) => sum + amountAtomic, transfer.amountAtomic);
      if (balance === null || balance >= needed) return this.#enter(transfer, authorization);
      if (drawn.size === 0) return { kind: 'overdrawn' };
      const isAnyGone = drawn.size > others.length;
      const isInTime = isAnyGone
        ? this.#app.clock.monotonic() < deadline
        : await isAnyOver(this.#app, others, deadline);
      if (!isInTime) return { kind: 'late' };
    }
  }

  /** How many payments are under way. */
  get count(): number {
    return [...this.#pending.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #pendingAt({ source }: Transfer): ReadonlyMap<string, PendingPayment> {
    return this.#pending.get(source.toBase58()) ?? new Map();
  }

  #enter({ source, amountAtomic }: Transfer, authorization: string): Admission {
    const account = source.toBase58();
    const pending = this.#pending.get(account) ?? new Map<string, PendingPayment>();
    this.#pending.set(account, pending);
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const entry = { amountAtomic, over };
    pending.set(authorization, entry);
    const leave = () => {
      if (pending.get(authorization) === entry) pending.delete(authorization);
      if (pending.size === 0 && this.#pending.get(account) === pending) this.#pending.delete(account);
      end();
    };
    return { kind: 'admitted', end: leave };
  }

  /** In atomic USDC; null when it cannot be read, in which case the payment is sent. */
  async #balanceOf({ source }: Transfer): Promise<bigint | null> {
    try {
      const { value } = await this.#connection.getTokenAccountBalance(source, 'confirmed');
      return BigInt(value.amount);
    } catch (error) {
      this.#app.log.warn({ error: describeError(error) }, 'the balance of a payer could not be read');
      return null;
    }
  }
}

/** Waits until one of these has ended. @returns false when none has by the deadline */
function isAnyOver(
  app: ChainPlatform,
  pending: readonly PendingPayment[],
  deadline: number,
): Promise<boolean> {
  const over = Promise.race(pending.map((place) => place.over)).then(() => true);
  return inTime(app.clock, over, deadline - app.clock.monotonic(), false);
}
