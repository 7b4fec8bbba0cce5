// Times the jobs that our server repeats, on a given database: the same functions, in their own process.

import { createApp } from '@/lib/app';
import { beatAndFindWork } from '@/lib/ledger/due-work';
import { eraseAnswers } from '@/lib/ledger/stored-answer';
import { parseSettings } from '@/lib/platform/settings';
import { eraseForms } from '@/lib/services/forms/erase';
import { expireUploads } from '@/lib/services/uploads/expire';

export interface JobTimes {
  /** The query that a process makes with each heartbeat, in milliseconds. */
  readonly recovery: number;
  /** The jobs that run every minute, when they have nothing to do, in milliseconds. */
  readonly cleanUp: number;
}

const app = createApp({ settings: parseSettings(process.env) });

async function timed(job: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await job();
  return performance.now() - startedMs;
}

process.on('message', async () => {
  const now = new Date();
  const networks = app.payments.networks.all().map(({ network }) => network.name);
  const recovery = await timed(() => beatAndFindWork(app, networks, now));
  const cleanUp = await timed(async () => {
    await expireUploads(app, now);
    await eraseForms(app, now);
    await eraseAnswers(app, now);
  });
  process.send?.({ result: { recovery, cleanUp } satisfies JobTimes });
});
process.send?.({ isReady: true });
