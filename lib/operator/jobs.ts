import { eraseAnswers } from '@/lib/ledger/stored-answer';
import type { Timings } from '@/lib/platform/timings';
import { eraseForms } from '@/lib/services/forms/erase';
import { expireUploads } from '@/lib/services/uploads/expire';
import type { OperatorApp } from './app';
import { checkSettlements, closeRefusals } from './finality';
import { recoverCalls } from './recovery';

/**
 * Background work that runs once per tick, in one of the processes that share a database. It must be safe to kill at
 * any point, and to run twice at once when a tick comes before the last run has ended.
 */
export interface Job {
  /** Lower-case words and hyphens; also the name of its queue. */
  readonly name: string;
  readonly schedule: Schedule;
  /** Whether this process is busy and leaves the tick to another. */
  readonly isFull?: (app: OperatorApp) => boolean;
  readonly run: (app: OperatorApp, now: Date) => Promise<unknown>;
}

/** Every few seconds (worker.ts), or by a cron expression in UTC (scheduler.ts). */
export type Schedule = { readonly everyMs: (timings: Timings['jobs']) => number } | { readonly cron: string };

const everyMinute = { cron: '* * * * *' };

/** Every job. */
export const jobs: readonly Job[] = [
  {
    name: 'recover-calls',
    schedule: { everyMs: ({ recoverCallsMs }) => recoverCallsMs },
    isFull: ({ recovery }) => recovery.isFull,
    run: recoverCalls,
  },
  {
    name: 'review-settlements',
    schedule: { everyMs: ({ reviewSettlementsMs }) => reviewSettlementsMs },
    run: checkSettlements,
  },
  {
    name: 'close-refusals',
    schedule: { everyMs: ({ closeRefusalsMs }) => closeRefusalsMs },
    run: closeRefusals,
  },
  { name: 'expire-uploads', schedule: everyMinute, run: expireUploads },
  { name: 'erase-forms', schedule: everyMinute, run: eraseForms },
  { name: 'erase-answers', schedule: everyMinute, run: eraseAnswers },
];
