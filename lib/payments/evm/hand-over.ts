import type { Charge, Outcome, SettlementJournal } from '@/lib/payments/payment';
import type { Platform } from '@/lib/platform/platform';

interface Waiting {
  readonly resolve: (outcome: Outcome) => void;
  readonly since: number;
}

/** Charges that another process settles for this one. What came of them is read in the ledger, for all of them at once. */
export class HandedOverCharges {
  readonly #app: Platform;
  readonly #journal: SettlementJournal;
  readonly #waiting = new Map<string, Waiting>();
  #isPolling = false;

  constructor(app: Platform, journal: SettlementJournal) {
    this.#app = app;
    this.#journal = journal;
  }

  /** Hands a charge over; `unknown` when the ledger does not take it or nobody settles it in time. */
  async add(charge: Charge): Promise<Outcome> {
    const { paidCallId } = charge;
    const outcome = new Promise<Outcome>((resolve) => {
      this.#waiting.set(paidCallId, { resolve, since: this.#app.clock.now() });
    });
    try {
      await this.#journal.handOver(charge);
    } catch {
      this.#answer(paidCallId, { kind: 'unknown', transactionHash: null });
    }
    if (!this.#isPolling) void this.#poll();
    return outcome;
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    while (this.#waiting.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, this.#app.timings.evm.queuePollMs));
      // While the database is away nothing is known; the wait goes on.
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
