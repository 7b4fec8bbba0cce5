import type { CallSettler } from '@/lib/calls/call-deps';
import type { Outcome, Payment } from '@/lib/payments/payment';
import type { Clock } from '@/lib/platform/clock';

/** How long a transfer takes. */
const blockMs = 2_000;

/** A chain that only knows which payments were made. Several processes use it, each through a settler of its own. */
export class TinyChain {
  readonly #transfers = new Map<string, { readonly hash: string; readonly atMs: number }>();
  /** How often each payment was submitted. */
  readonly submissions: string[] = [];

  /** The payments that were made. */
  get paid(): readonly string[] {
    return [...this.#transfers.keys()];
  }

  /** Anybody may submit a signed payment. It can be made once. */
  submit(payment: Payment, now: Date): void {
    this.submissions.push(payment.authorization);
    if (this.#transfers.has(payment.authorization) || payment.validBefore <= now) return;
    this.#transfers.set(payment.authorization, { hash: `0x${this.#transfers.size}`, atMs: now.getTime() });
  }

  /** The settler of one process. */
  settler(clock: Clock): CallSettler {
    const outcomeOf = (payment: Payment): Outcome => {
      const made = this.#transfers.get(payment.authorization);
      if (made) return { kind: 'settled', transactionHash: made.hash, block: { number: 1n, hash: '0xb' } };
      if (payment.validBefore <= clock.date()) return { kind: 'refused', reason: 'authorization_expired' };
      return { kind: 'unknown', transactionHash: null, isUnused: true };
    };
    return {
      recordsOutcome: false,
      recordsFirst: false,
      verify: async (payment) =>
        outcomeOf(payment).kind === 'unknown'
          ? { ok: true, height: 1n }
          : { ok: false, reason: 'nonce_already_used', height: 1n },
      settle: async ({ payment }) => {
        this.submit(payment, clock.date());
        await clock.sleep(blockMs);
        return outcomeOf(payment);
      },
      resolveOutcome: async (payment) => outcomeOf(payment),
    };
  }
}
