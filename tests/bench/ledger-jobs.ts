// Times the jobs that our server repeats, on the database that it is given: the very functions, in a process of their own.

import { createApp } from '@/lib/app';
import { abandonedCalls, heldCalls } from '@/lib/ledger/unfinished-calls';
import { randomToken } from '@/lib/platform/ids';
import { parseSettings } from '@/lib/platform/settings';
import { expireUploads } from '@/lib/services/uploads/expire';

export interface JobTimes {
  /** What recovery asks every second, in milliseconds. */
  readonly recovery: number;
  /** A run of expiry that finds nothing to do, in milliseconds. */
  readonly expiry: number;
}

const app = createApp({ settings: parseSettings(process.env), isBehindOurListener: false });

async function timed(job: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await job();
  return performance.now() - startedMs;
}

process.on('message', async () => {
  const now = new Date();
  const recovery = await timed(async () => {
    await heldCalls(app, randomToken());
    await abandonedCalls(app, now, 50);
  });
  const expiry = await timed(() => expireUploads(app, now));
  process.send?.({ result: { recovery, expiry } satisfies JobTimes });
});
process.send?.({ isReady: true });
