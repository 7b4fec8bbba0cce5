import type { Payment } from '@/lib/payments/payment';
import type { ChargeFollowing, Charging, WalletVerification } from '@/lib/payments/settlers';
import type { Clock } from '@/lib/platform/clock';
import type { Logger } from '@/lib/platform/log';
import type { Metrics } from '@/lib/platform/metrics/metrics';
import type { OngoingProblems } from '@/lib/platform/ongoing-problem';
import type { Timings } from '@/lib/platform/timings';
import type { CallRuns } from './advance-call';
import type { CallAnswers } from './call-answers';
import type { CallStore } from './call-store';

/** What a paid call asks of the settler of its payment. */
export type CallSettler = Charging &
  (
    | (ChargeFollowing & WalletVerification & { readonly kind: 'evm' })
    | (ChargeFollowing & { readonly kind: 'scheme' })
    | (WalletVerification & { readonly kind: 'evm_remote' | 'solana' })
    | { readonly kind: 'solana_remote' | 'account' }
  );

/**
 * Whether a settler records its charges itself: in the ledger and on disk before anything leaves the process, and again once
 * they are settled. A remote settler has no part in our ledger.
 */
export function recordsCharges({ kind }: CallSettler): boolean {
  return kind !== 'evm_remote' && kind !== 'solana_remote';
}

export interface CallPayments {
  /** The settler of a payment; null when such payments are no longer accepted. */
  settlerOf(payment: Payment): CallSettler | null;
  /** The same, but also null while such payments are not being accepted. */
  openSettlerOf(payment: Payment): CallSettler | null;
  readonly watch: {
    /**
     * Whether payments like one that failed are now withdrawn, because the reason may concern everybody, and does.
     * Rejects when the chain cannot be reached.
     */
    isWithdrawnAfter(payment: Payment, reason: string): Promise<boolean>;
  };
}

/** What advancing a paid call uses. */
export interface CallDeps {
  readonly calls: CallStore;
  readonly payments: CallPayments;
  readonly answers: CallAnswers;
  readonly clock: Clock;
  readonly timings: Timings;
  readonly log: Logger;
  readonly problems: Pick<OngoingProblems, 'reportRequest'>;
  readonly metrics: Metrics;
}

/** What buying a call uses: the same, and the runs of this process, which advance calls. */
export interface BuyDeps extends Omit<CallDeps, 'answers'> {
  readonly runs: CallRuns;
}
