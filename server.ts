import { runProcesses } from '@/lib/http/server/processes';
import { systemClock } from '@/lib/platform/clock';
import { createLog } from '@/lib/platform/log';
import { parseSettings } from '@/lib/platform/settings';
import { productionTimings } from '@/lib/platform/timings';

/** The server: our listener, with the framework behind it for pages. With PROCESSES above 1, their parent. */
async function main(): Promise<void> {
  const settings = parseSettings(process.env);
  const parent = { settings, clock: systemClock, timings: productionTimings, log: createLog(settings) };
  await runProcesses(parent, process.env, async (siblings) => {
    // A parent needs little of it, and does not load the rest.
    const { startServer } = await import('@/app/_routes/start-server');
    await startServer(settings, siblings);
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
