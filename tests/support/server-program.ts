// A server for tests: the same app behind the same listener as in server.ts, on timings that the test chooses, and with the
// framework loaded only when somebody asks for a page.
import { routes } from '@/app/_routes/table.generated';
import { loadDocuments } from '@/app/_site/load';
import { createApp } from '@/lib/app';
import { setCurrentApp } from '@/lib/app/current';
import { parseSettings } from '@/lib/platform/settings';
import type { Timings } from '@/lib/platform/timings';
import { openFramework } from '@/lib/server/framework';
import { serve } from '@/lib/server/serve';

async function main(): Promise<void> {
  const settings = parseSettings(process.env);
  // Written by startServer.
  const timings = JSON.parse(process.env.TIMINGS ?? '') as Timings;
  const app = createApp({ settings, timings, isBehindOurListener: true });
  setCurrentApp(app);
  await serve(app, { routes, documents: loadDocuments, framework: openFramework(settings).handle });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
