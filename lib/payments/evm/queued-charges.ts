import type { Charge, Outcome, SettlementJournal } from '@/lib/payments/payment';
import type { Platform } from '@/lib/platform/platform';

interface Waiting {
  readonly resolve: (outcome: Outcome) => void;
  readonly since: number;
}

/** Queues charges for a process that has a signer, and reads their outcomes from the ledger, all in one query. */
export class QueuedCharges {
  readonly #app: Platform;
  readonly #journal: SettlementJournal;
  readonly #waiting = new Map<string, Waiting>();
  #isPolling = false;

  constructor(app: Platform, journal: SettlementJournal) {
    this.#app = app;
    this.#journal = journal;
  }

  /** Queues a charge. The outcome is `unknown` when the ledger cannot queue it, or nobody settles it in time. */
  async add(charge: Charge): Promise<Outcome> {
    const { paidCallId } = charge;
    const outcome = new Promise<Outcome>((resolve) => {
      this.#waiting.set(paidCallId, { resolve, since: this.#app.clock.now() });
    });
    try {
      await this.#journal.enqueue(charge);
    } catch {
      this.#answer(paidCallId, { kind: 'unknown', transactionHash: null });
    }
    if (!this.#isPolling) void this.#poll();
    return outcome;
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    while (this.#waiting.size > 0) {
      await this.#app.clock.sleep(this.#app.timings.evm.queuePollMs);
      // While the database is down the wait continues.
      const known = await this.#journal.outcomes([...this.#waiting.keys()]).catch(() => new Map());
      for (const [paidCallId, outcome] of known) this.#answer(paidCallId, outcome);
      for (const [paidCallId, { since }] of this.#waiting) {
        if (this.#app.clock.now() - since > this.#app.timings.evm.queueGiveUpMs)
          this.#answer(paidCallId, { kind: 'unknown', transactionHash: null });
      }
    }
    this.#isPolling = false;
  }

  #answer(paidCallId: string, outcome: Outcome): void {
    this.#waiting.get(paidCallId)?.resolve(outcome);
    this.#waiting.delete(paidCallId);
  }
}
