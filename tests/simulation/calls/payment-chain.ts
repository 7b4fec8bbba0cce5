import type { CallSettler } from '@/lib/calls/call-deps';
import type { CallMoves } from '@/lib/calls/call-store';
import type { Outcome } from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import type { Clock } from '@/lib/platform/clock';

/** How long a submitted payment waits for its block. */
const blockMs = 2_000;
/** How long the settler takes to record a transaction that is in a block. */
const recordMs = 3_000;

/** Why a payment is refused whose time is over. */
export const expired = 'invalid_exact_evm_payload_authorization_valid_before';

/** What a settler answers to a charge. */
type ChargeAnswer = 'in a block' | 'before it is recorded' | 'nothing yet';

/**
 * A chain that only knows which payments were made. A submitted one is unused until its block. Several processes use it, each
 * through a settler of its own. It notes what happens, in order.
 */
export class PaymentChain {
  /** When each payment is in a block, in milliseconds since 1970. */
  readonly #transfers = new Map<string, number>();
  readonly #note: (event: string) => void;
  /** The payment of each submission. */
  readonly submissions: string[] = [];
  /** What is answered to charges from now on. */
  answer: ChargeAnswer = 'in a block';
  /** Whether another process follows a transaction with each payment. */
  isFollowed = false;
  /** The outcome of every payment that is refused; null when none is. */
  refusal: Extract<Outcome, { readonly kind: 'refused' }> | null = null;
  /** What happens before a payment is verified, which may fail. */
  beforeVerification: (() => Promise<void>) | null = null;
  /** What happens before the outcome of a charge is told, which is known by then. */
  beforeOutcome: (() => Promise<void>) | null = null;
  /** Whether payments have expired, which tokens say before they say that one was used. */
  hasExpired = false;
  /** Whether submitted payments are lost. */
  losesPayments = false;

  constructor(note: (event: string) => void) {
    this.#note = note;
  }

  /** The payments that were made, or will be with the next block. */
  get paid(): readonly string[] {
    return [...this.#transfers.keys()];
  }

  /** Somebody submits a payment without us. */
  submit({ authorization }: Pick<Payment, 'authorization'>, atMs: number): void {
    this.#transfers.set(authorization, atMs);
  }

  /** The settler of one process. */
  settler(clock: Clock, calls: Pick<CallMoves, 'recordOutcome'>): CallSettler {
    const outcomeOf = (payment: Payment): Outcome => {
      if (this.refusal) return this.refusal;
      const atMs = this.#transfers.get(payment.authorization);
      return atMs !== undefined && atMs <= clock.now()
        ? { kind: 'settled', transactionHash: '0x1', block: { number: 1n, hash: '0xb' } }
        : { kind: 'unknown', transactionHash: null, isUnused: true };
    };
    return {
      kind: 'evm',
      verify: async (payment) => {
        await this.beforeVerification?.();
        if (this.hasExpired) return { ok: false, reason: expired, height: 1n };
        return outcomeOf(payment).kind === 'settled'
          ? { ok: false, reason: 'nonce_already_used', height: 1n }
          : { ok: true, height: 1n };
      },
      settle: async ({ paidCallId, payment }) => {
        this.#note('charged');
        this.submissions.push(payment.authorization);
        const isKnown = this.#transfers.has(payment.authorization);
        if (!isKnown && !this.losesPayments && !this.refusal)
          this.#transfers.set(payment.authorization, clock.now() + blockMs);
        if (this.answer === 'nothing yet') return { kind: 'unknown', transactionHash: null };
        await clock.sleep(blockMs);
        const outcome = outcomeOf(payment);
        await this.beforeOutcome?.();
        if (outcome.kind !== 'settled') return outcome;
        const record = () => calls.recordOutcome(paidCallId, outcome, clock.date());
        if (this.answer === 'in a block') {
          await record();
          return outcome;
        }
        const recorded = clock.sleep(recordMs).then(record);
        return { ...outcome, recorded: recorded.then(() => this.#note('recorded')) };
      },
      isFollowed: async () => this.isFollowed,
      resolveOutcome: async (payment) => outcomeOf(payment),
      askWallet: async () => 'no_wallet',
    };
  }
}
