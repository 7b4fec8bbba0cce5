import { explainMethods, loadDocuments } from '@/app/_site/load';
import { createApp } from '@/lib/app';
import { setCurrentApp } from '@/lib/app/current';
import { warmUp } from '@/lib/app/warm-up';
import { openFramework } from '@/lib/http/server/framework';
import { serve } from '@/lib/http/server/serve';
import { logConsole } from '@/lib/platform/log';
import type { Settings } from '@/lib/platform/settings';
import type { Siblings } from '@/lib/platform/siblings';

/** Serves in this process. */
export async function startServer(settings: Settings, siblings: Siblings | null): Promise<void> {
  const app = createApp({ settings, siblings });
  logConsole(app.log);
  // Routes, pages and instrumentation.ts find the app there, so instrumentation.ts does not start another one.
  setCurrentApp(app);
  const framework = openFramework(settings);
  await serve(app, { explainMethods, documents: loadDocuments, framework: framework.handle }, siblings);
  // The API does not wait for the framework. Pages do, if they are requested sooner.
  await warmUp(app, framework.load);
}
