import { forgetSignIns } from '@/lib/db/used-sign-ins';
import type { DueWork } from '@/lib/ledger/due-work';
import { eraseAnswers } from '@/lib/ledger/stored-answer';
import type { Timings } from '@/lib/platform/timings';
import { eraseForms } from '@/lib/services/forms/erase';
import { expireUploads } from '@/lib/services/uploads/expire';
import type { OperatorApp } from './app';
import { checkSettlements, closeRefusals } from './finality';
import { recoverCalls } from './recovery';
import { checkRefunds } from './refunds/follow';

/**
 * Background work that runs once per tick, in one of the processes that share a database. It must be safe to kill at
 * any point, and to run twice at once when a tick comes before the last run has ended.
 */
export interface Job {
  /** Lower-case words and hyphens. */
  readonly name: string;
  readonly everyMs: (timings: Timings['jobs']) => number;
  /** Whether there is work for it. A job without this runs at every tick. */
  readonly isNeeded?: (work: DueWork) => boolean;
  /** Whether this process is busy and leaves the tick to another. */
  readonly isFull?: (app: OperatorApp) => boolean;
  readonly run: (app: OperatorApp, now: Date) => Promise<unknown>;
}

const cleanUpMs: Job['everyMs'] = (timings) => timings.cleanUpMs;

/** Every job. */
export const jobs: readonly Job[] = [
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
  {
    name: 'check-refunds',
    everyMs: ({ checkRefundsMs }) => checkRefundsMs,
    isNeeded: ({ hasRefundsToCheck }) => hasRefundsToCheck,
    run: checkRefunds,
  },
  { name: 'expire-uploads', everyMs: cleanUpMs, run: expireUploads },
  { name: 'erase-forms', everyMs: cleanUpMs, run: eraseForms },
  { name: 'erase-answers', everyMs: cleanUpMs, run: eraseAnswers },
  { name: 'forget-sign-ins', everyMs: cleanUpMs, run: forgetSignIns },
];
