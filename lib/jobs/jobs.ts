import type { CallRuns } from '@/lib/calls/advance-call';
import type { FindCallService } from '@/lib/calls/call-service';
import type { CallStore } from '@/lib/calls/call-store';
import { wallet } from '@/lib/catalog';
import type { DueWork } from '@/lib/ledger/due-work';
import { eraseRefundMessages } from '@/lib/ledger/refund-requests';
import { eraseAnswers } from '@/lib/ledger/stored-answer';
import type { Payments } from '@/lib/payments/app-payments';
import { forgetSignIns } from '@/lib/payments/sign-in/used-sign-ins';
import { daysAfter } from '@/lib/platform/durations';
import type { Timings } from '@/lib/platform/timings';
import type { ServicesApp } from '@/lib/services';
import { eraseForms } from '@/lib/services/forms/erase';
import { expireUploads } from '@/lib/services/uploads/expire';
import { checkSettlements } from './check-settlements';
import { closeRefusals } from './finality-checks';
import { type RecoverySlots, recoverCalls } from './recovery';

/** What the jobs need from the app. */
export interface JobsApp extends ServicesApp {
  readonly payments: Payments;
  readonly calls: CallStore;
  readonly runs: CallRuns;
  readonly findCallService: FindCallService;
  readonly recovery: RecoverySlots;
}

/**
 * Background work that runs once per tick, in one of the processes that share a database. It must be safe to kill at
 * any point, and to run twice at once when a tick comes before the last run has ended.
 */
export interface Job {
  /** Lower-case words and hyphens. */
  readonly name: string;
  readonly everyMs: (timings: Timings['jobs']) => number;
  /** How long after the first start of all its first run is; at once if left out. */
  readonly firstAfterMs?: (timings: Timings['jobs']) => number;
  /** Whether there is work for it. A job without this runs at every tick. */
  readonly isNeeded?: (work: DueWork) => boolean;
  /** Whether this process is busy and leaves the tick to another. */
  readonly isFull?: () => boolean;
  /** Set for a job that must not run more often than its ticks, as it does for hosts that run all jobs by a request. */
  readonly isOnlyOnTicks?: true;
  readonly run: (now: Date) => Promise<unknown>;
}

/** A job, as a room declares it: its functions take what they use of the app. */
export interface DeclaredJob
  extends Pick<Job, 'name' | 'everyMs' | 'firstAfterMs' | 'isNeeded' | 'isOnlyOnTicks'> {
  readonly isFull?: (app: JobsApp) => boolean;
  readonly run: (app: JobsApp, now: Date) => Promise<unknown>;
}

/** Gives jobs what they use. */
export function openJobs(app: JobsApp, declared: readonly DeclaredJob[]): readonly Job[] {
  return declared.map(({ isFull, run, ...job }) => ({
    ...job,
    ...(isFull && { isFull: () => isFull(app) }),
    run: (now) => run(app, now),
  }));
}

const cleanUpMs: Job['everyMs'] = (timings) => timings.cleanUpMs;

/** The jobs that finish calls and erase what has expired. `createApp` adds those of other rooms. */
export const jobs: readonly DeclaredJob[] = [
  {
    name: 'recover-calls',
    everyMs: ({ recoverCallsMs }) => recoverCallsMs,
    isNeeded: ({ hasAbandonedCalls }) => hasAbandonedCalls,
    isFull: ({ recovery }) => recovery.isFull,
    run: recoverCalls,
  },
  {
    name: 'review-settlements',
    everyMs: ({ reviewSettlementsMs }) => reviewSettlementsMs,
    isNeeded: ({ hasSettlementsNotFinal }) => hasSettlementsNotFinal,
    run: checkSettlements,
  },
  {
    name: 'close-refusals',
    everyMs: ({ closeRefusalsMs }) => closeRefusalsMs,
    isNeeded: ({ hasRefusalsToClose }) => hasRefusalsToClose,
    run: closeRefusals,
  },
  { name: 'expire-uploads', everyMs: cleanUpMs, run: expireUploads },
  { name: 'erase-forms', everyMs: cleanUpMs, run: eraseForms },
  { name: 'erase-answers', everyMs: cleanUpMs, run: eraseAnswers },
  {
    name: 'erase-refund-messages',
    everyMs: cleanUpMs,
    run: (app, now) => eraseRefundMessages(app, { before: daysAfter(now, -wallet.refundMessageDays) }),
  },
  { name: 'forget-sign-ins', everyMs: cleanUpMs, run: forgetSignIns },
];
