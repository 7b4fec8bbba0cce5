import type { Timings } from '@/lib/platform/timings';
import { eraseForms } from '@/lib/services/forms/erase';
import { expireUploads } from '@/lib/services/uploads/expire';
import type { OperatorApp } from './app';
import { checkSettlements } from './finality';
import { recoverCalls } from './recovery';
import { closeRefusals } from './refusals';

/**
 * Work that nobody asks for, done by whichever process gets to it: once per tick on all processes of one database. It
 * must bear being killed anywhere and, when a tick comes before the last one is done, running twice at once.
 */
export interface Job {
  /** Lower-case words and hyphens; also the name of its queue. */
  readonly name: string;
  readonly schedule: Schedule;
  /** Whether this process has its hands full and leaves the tick to another. */
  readonly isFull?: (app: OperatorApp) => boolean;
  readonly run: (app: OperatorApp, now: Date) => Promise<unknown>;
}

/** A few seconds apart (see turn.ts), or at the minutes of a cron expression in UTC (see scheduler.ts). */
export type Schedule = { readonly everyMs: (timings: Timings['jobs']) => number } | { readonly cron: string };

const everyMinute = { cron: '* * * * *' };

/** Every job there is. */
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
];
