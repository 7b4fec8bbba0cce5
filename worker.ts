import { applyMigrations } from '@/lib/db/migrate';
import { log } from '@/lib/platform/log';
import { env } from '@/lib/platform/settings';
import { startRuntime } from '@/lib/server/start';

/** The jobs in a process of their own, beside servers with WORKER=separate. It listens to nobody. */
async function main(): Promise<void> {
  const applied = await applyMigrations(env().DATABASE_URL);
  if (applied.length > 0) log().info({ applied }, 'migrations applied');
  const runtime = await startRuntime({ doesJobs: true });
  log().info('working');
  const stop = async () => {
    await runtime.stop();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
