import type { ChargeQueue } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/network-offers';
import type { Charge, Outcome } from '@/lib/payments/outcome';
import type { ChainPlatform } from '@/lib/platform/platform';

interface Waiting {
  readonly resolve: (outcome: Outcome) => void;
  readonly since: number;
}

/**
 * Queues charges for a process that has a signer, and reads their outcomes from the ledger with one query for all of them: at
 * intervals, and at once when another process on this machine says that it has settled some.
 */
export class QueuedCharges {
  readonly #app: ChainPlatform;
  readonly #network: NetworkName;
  readonly #queue: Pick<ChargeQueue, 'enqueue' | 'outcomes'>;
  readonly #waiting = new Map<string, Waiting>();
  #isPolling = false;
  /** Whether others have settled charges since the ledger was last queried. */
  #hasNews = false;
  #endPause: () => void = () => undefined;

  constructor(app: ChainPlatform, network: NetworkName, queue: Pick<ChargeQueue, 'enqueue' | 'outcomes'>) {
    this.#app = app;
    this.#network = network;
    this.#queue = queue;
    app.siblings?.onSettled((on) => {
      if (on !== network) return;
      this.#hasNews = true;
      this.#endPause();
    });
  }

  /** Queues a charge. The outcome is `unknown` when the ledger cannot queue it, or nobody settles it in time. */
  async add(charge: Charge): Promise<Outcome> {
    const { paidCallId } = charge;
    const outcome = new Promise<Outcome>((resolve) => {
      this.#waiting.set(paidCallId, { resolve, since: this.#app.clock.monotonic() });
    });
    try {
      await this.#queue.enqueue(charge);
      this.#app.siblings?.tellQueued(this.#network);
    } catch {
      this.#answer(paidCallId, { kind: 'unknown', transactionHash: null });
    }
    if (!this.#isPolling) void this.#poll();
    return outcome;
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    while (this.#waiting.size > 0) {
      await this.#pause();
      // While the database is down the wait continues.
      const known = await this.#queue.outcomes([...this.#waiting.keys()]).catch(() => new Map());
      for (const [paidCallId, outcome] of known) this.#answer(paidCallId, outcome);
      for (const [paidCallId, { since }] of this.#waiting) {
        if (this.#app.clock.monotonic() - since > this.#app.timings.evm.queueGiveUpMs)
          this.#answer(paidCallId, { kind: 'unknown', transactionHash: null });
      }
    }
    this.#isPolling = false;
  }

  async #pause(): Promise<void> {
    const { clock, timings } = this.#app;
    if (!this.#hasNews) {
      await new Promise<void>((resolve) => {
        const cancel = clock.after(timings.evm.queuePollMs, resolve);
        this.#endPause = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#hasNews = false;
  }

  #answer(paidCallId: string, outcome: Outcome): void {
    this.#waiting.get(paidCallId)?.resolve(outcome);
    this.#waiting.delete(paidCallId);
  }
}
