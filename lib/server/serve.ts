import type { App } from '@/lib/app';
import { applyMigrations } from '@/lib/db/migrate';
import type { Siblings } from '@/lib/platform/siblings';
import { createListener, type Destinations } from './listener';

/**
 * Starts an app and its listener. When the process is told to end, it accepts no more requests, finishes those under
 * way, and exits.
 * @param siblings the other processes on the same port, if there are any
 * @throws Error when it cannot start, because of a setting, a migration, or a port in use
 */
export async function serve(
  app: App,
  destinations: Destinations,
  siblings: Siblings | null = null,
): Promise<void> {
  const { DATABASE_URL, HOST, PORT, WORKER } = app.settings;
  const applied = await applyMigrations(DATABASE_URL);
  if (applied.length > 0) app.log.info({ applied }, 'migrations applied');
  const running = await app.start({ doesJobs: WORKER === 'in-process' });
  const server = createListener(app, destinations);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(PORT, HOST, resolve);
  });
  app.log.info({ host: HOST, port: PORT }, 'listening');

  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    const closed = new Promise<boolean>((resolve) => server.close(() => resolve(true)));
    await running.endWaits();
    // Node keeps idle connections open even when the server no longer listens.
    setInterval(() => server.closeIdleConnections(), 100);
    const tooLate = app.clock.sleep(app.timings.server.drainMs).then(() => false);
    if (!(await Promise.race([closed, tooLate]))) app.log.warn('stopped with requests under way');
    await running.stop();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  siblings?.onStop(stop);
}
