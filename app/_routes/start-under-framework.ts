import { createApp } from '@/lib/app';
import { setCurrentApp } from '@/lib/app/current';
import { serveUnderFramework } from '@/lib/http/server/serve-under-framework';
import { parseSettings } from '@/lib/platform/settings';
import type { Timings } from '@/lib/platform/timings';
import { warnOfMisspelt } from '@/lib/platform/warn-of-misspelt';

/**
 * Starts the app in a process where a framework that someone else started is listening. If that fails, it says why and
 * ends the process, so that the host starts another: the framework would keep its port open and answer everything with
 * 500.
 */
export async function startUnderFramework(
  environment: Record<string, string | undefined>,
  timings?: Timings,
): Promise<void> {
  try {
    const settings = parseSettings(environment);
    const { PORT } = environment;
    // To the routes, the framework's server is the proxy that names the client.
    const app = createApp({ settings: PORT ? { ...settings, TRUSTED_PROXIES: 1 } : settings, timings });
    warnOfMisspelt(app.log, environment);
    setCurrentApp(app);
    await serveUnderFramework(app, settings, environment);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
