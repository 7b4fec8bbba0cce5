import type { Connection } from '@solana/web3.js';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { Transfer } from './transaction';

/** A payment that is being made. */
interface Place {
  readonly amountAtomic: bigint;
  /** Resolves when it is known what became of it. */
  readonly over: Promise<void>;
}

export type Admission =
  /** `leave` is to be called when it is known what became of the payment. */
  | { readonly kind: 'admitted'; readonly leave: () => void }
  /** The token account holds less than the payment, and nothing else is drawn on it. */
  | { readonly kind: 'uncovered' }
  /** Others that are drawn on the same account were not over in time. */
  | { readonly kind: 'late' };

/**
 * Lets payments out of one token account go beside each other while it holds enough for all of them, and after each other
 * where it does not. Each was found good by itself, so an account with money for one that signs twenty would have us pay
 * the network's fee for twenty. Costs nothing where a payer makes one payment at a time.
 */
export class SolanaOverdraftCheck {
  readonly #app: Platform;
  readonly #connection: Connection;
  readonly #places = new Map<string, Map<string, Place>>();

  constructor(app: Platform, connection: Connection) {
    this.#app = app;
    this.#connection = connection;
  }

  /**
   * @param authorization the identity of the payment, which needs no cover beside itself
   * @param deadline when to wait no longer, milliseconds since the epoch
   */
  async admit(transfer: Transfer, authorization: string, deadline: number): Promise<Admission> {
    const places = this.#placesAt(transfer);
    if (places.size === 0 || places.has(authorization)) return this.#enter(transfer, authorization);
    for (;;) {
      const before = [...this.#placesAt(transfer).values()];
      const balance = await this.#balanceOf(transfer);
      const others = [...this.#placesAt(transfer).values()];
      // What was over meanwhile may be in the balance or not yet.
      const drawn = new Set([...before, ...others]);
      const needed = [...drawn].reduce((sum, { amountAtomic }) => sum + amountAtomic, transfer.amountAtomic);
      if (balance === null || balance >= needed) return this.#enter(transfer, authorization);
      if (drawn.size === 0) return { kind: 'uncovered' };
      const isAnyGone = drawn.size > others.length;
      const isInTime = isAnyGone
        ? this.#app.clock.now() < deadline
        : await isAnyOver(this.#app, others, deadline);
      if (!isInTime) return { kind: 'late' };
    }
  }

  #placesAt({ source }: Transfer): ReadonlyMap<string, Place> {
    return this.#places.get(source.toBase58()) ?? new Map();
  }

  #enter({ source, amountAtomic }: Transfer, authorization: string): Admission {
    const account = source.toBase58();
    const places = this.#places.get(account) ?? new Map<string, Place>();
    this.#places.set(account, places);
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const place = { amountAtomic, over };
    places.set(authorization, place);
    const leave = () => {
      if (places.get(authorization) === place) places.delete(authorization);
      if (places.size === 0 && this.#places.get(account) === places) this.#places.delete(account);
      end();
    };
    return { kind: 'admitted', leave };
  }

  /** In atomic USDC; null when it cannot be had: then the cluster will tell. */
  async #balanceOf({ source }: Transfer): Promise<bigint | null> {
    try {
      const { value } = await this.#connection.getTokenAccountBalance(source, 'confirmed');
      return BigInt(value.amount);
    } catch (error) {
      this.#app.log.warn({ error: describeError(error) }, 'the balance of a payer could not be had');
      return null;
    }
  }
}

/** Waits for the first of these to be over; false when none is by the deadline. */
async function isAnyOver(app: Platform, places: readonly Place[], deadline: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, deadline - app.clock.now(), false);
  });
  const over = Promise.race(places.map((place) => place.over)).then(() => true);
  try {
    return await Promise.race([over, late]);
  } finally {
    clearTimeout(timer);
  }
}
