import type { NetworkWatch } from '@/lib/payments/network-watch';
import type { Settler } from '@/lib/payments/payment';
import type { Payments } from '@/lib/payments/payments';
import type { Clock } from '@/lib/platform/clock';
import type { Logger } from '@/lib/platform/log';
import type { Metrics } from '@/lib/platform/metrics/metrics';
import type { OngoingProblems } from '@/lib/platform/ongoing-problem';
import type { Timings } from '@/lib/platform/timings';
import type { CallRuns } from './advance-call';
import type { CallAnswers } from './answers';
import type { CallStore } from './call-store';

/** What a paid call asks of the settler of its payment. */
export type CallSettler = Pick<
  Settler,
  'recordsOutcome' | 'recordsFirst' | 'verify' | 'askWallet' | 'settle' | 'isFollowed' | 'resolveOutcome'
>;

type SettledBy = Parameters<Payments['settlerOf']>[0];

/** The settlers of payments. */
export interface CallPayments {
  /** The settler of a payment; null when such payments are no longer accepted. */
  settlerOf(payment: SettledBy): CallSettler | null;
  /** The same, but also null while such payments are not being accepted. */
  openSettlerOf(payment: SettledBy): CallSettler | null;
  readonly watch: Pick<NetworkWatch, 'isWithdrawnAfter'>;
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
