// A server for tests: the same app behind the same listener as in server.ts, with timings that the test chooses. The framework
// is loaded only when a page is requested.
import { explainMethods, loadDocuments } from '@/app/_site/load';
import { createApp } from '@/lib/app';
import { setCurrentApp } from '@/lib/app/current';
import { openFramework } from '@/lib/http/server/framework';
import { runProcesses } from '@/lib/http/server/processes';
import { serve } from '@/lib/http/server/serve';
import { systemClock } from '@/lib/platform/clock';
import { createLog } from '@/lib/platform/log';
import { parseSettings } from '@/lib/platform/settings';
import type { Timings } from '@/lib/platform/timings';

async function main(): Promise<void> {
  const settings = parseSettings(process.env);
  // Set by startServer.
  const timings = JSON.parse(process.env.TIMINGS ?? '') as Timings;
  const parent = { settings, clock: systemClock, timings, log: createLog(settings) };
  await runProcesses(parent, process.env, async (siblings) => {
    const app = createApp({ settings, timings, siblings });
    setCurrentApp(app);
    const framework = openFramework(settings).handle;
    await serve(app, { explainMethods, documents: loadDocuments, framework }, siblings);
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
