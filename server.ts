import { routes } from '@/app/_routes/table.generated';
import { loadDocuments } from '@/app/_site/load';
import { createApp } from '@/lib/app';
import { setCurrentApp } from '@/lib/app/current';
import { systemClock } from '@/lib/platform/clock';
import { createLog } from '@/lib/platform/log';
import { parseSettings } from '@/lib/platform/settings';
import { productionTimings } from '@/lib/platform/timings';
import { openFramework } from '@/lib/server/framework';
import { runProcesses } from '@/lib/server/processes';
import { serve } from '@/lib/server/serve';

/** The server: our listener, with the framework behind it for pages. */
async function main(): Promise<void> {
  const settings = parseSettings(process.env);
  const parent = { settings, clock: systemClock, timings: productionTimings, log: createLog(settings) };
  await runProcesses(parent, process.env, async (siblings) => {
    const app = createApp({ settings, siblings, isBehindOurListener: true });
    // Routes, pages and instrumentation.ts find it there; the latter then starts no other.
    setCurrentApp(app);
    const framework = openFramework(settings);
    await serve(app, { routes, documents: loadDocuments, framework: framework.handle }, siblings);
    // The API does not wait for it. Pages do, if they are asked for sooner.
    await framework.load();
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
