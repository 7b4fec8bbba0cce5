import { routes } from '@/app/_routes/table.generated';
import { loadDocuments } from '@/app/_site/load';
import { createApp } from '@/lib/app';
import { setCurrentApp } from '@/lib/app/current';
import { parseSettings } from '@/lib/platform/settings';
import { openFramework } from '@/lib/server/framework';
import { serve } from '@/lib/server/serve';

/** The server: our listener, with the framework behind it for pages. */
async function main(): Promise<void> {
  const settings = parseSettings(process.env);
  const app = createApp({ settings, isBehindOurListener: true });
  // Routes, pages and instrumentation.ts find it there; the latter then starts no other.
  setCurrentApp(app);
  const framework = openFramework(settings);
  await serve(app, { routes, documents: loadDocuments, framework: framework.handle });
  // The API does not wait for it. Pages do, if they are asked for sooner.
  await framework.load();
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
