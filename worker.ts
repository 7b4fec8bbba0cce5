import { createApp } from '@/lib/app';
import { applyMigrations } from '@/lib/platform/database/migrate';
import { parseSettings } from '@/lib/platform/settings';
import { warnOfMisspelt } from '@/lib/platform/warn-of-misspelt';

/** The jobs in a process of their own, beside servers with WORKER=separate. It listens to nobody. */
async function main(): Promise<void> {
  const app = createApp({ settings: parseSettings(process.env) });
  warnOfMisspelt(app.log, process.env);
  const applied = await applyMigrations(app.settings.DATABASE_URL);
  if (applied.length > 0) app.log.info({ applied }, 'migrations applied');
  const running = await app.start({ doesJobs: true });
  app.log.info('working');
  const stop = async () => {
    await running.stop();
    app.log.info('stopped');
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
