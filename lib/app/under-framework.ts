import { createApp } from '@/lib/app';
import { applyMigrations } from '@/lib/db/migrate';
import { parseSettings } from '@/lib/platform/settings';
import { setCurrentApp } from './current';

/** Starts an app in a process where Next listens, for its route handlers to find. */
export async function startUnderFramework(environment: Record<string, string | undefined>): Promise<void> {
  const settings = parseSettings(environment);
  const app = createApp({ settings, isBehindOurListener: false });
  const applied = await applyMigrations(settings.DATABASE_URL);
  if (applied.length > 0) app.log.info({ applied }, 'migrations applied');
  await app.start({ doesJobs: settings.WORKER === 'in-process' });
  setCurrentApp(app);
}
