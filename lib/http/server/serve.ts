import type { RunningApp, ServedApp } from '@/lib/http/http-app';
import { applyMigrations } from '@/lib/platform/database/migrate';
import type { Siblings } from '@/lib/platform/siblings';
import { ClosingConnections } from './closing-connections';
import { drain } from './drain';
import { createListener, type Destinations } from './listener';

/**
 * Starts an app and its listener. When the process is told to end, it accepts no more requests, finishes those under
 * way, and exits.
 * @param siblings the other processes on the same port, if there are any
 * @throws Error when it cannot start, because of a setting, a migration, or a port in use
 */
export async function serve(
  app: ServedApp,
  destinations: Destinations,
  siblings: Siblings | null = null,
): Promise<void> {
  const { HOST, PORT } = app.settings;
  const running = await migrateAndStart(app);
  const server = createListener(app, destinations);
  const connections = new ClosingConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(PORT, HOST, resolve);
  });
  app.log.info({ host: HOST, port: PORT }, 'listening');

  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await drain(app, running, server, connections.close());
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  siblings?.onStop(stop);
}

/** Brings the database up to date and starts an app. */
export async function migrateAndStart(app: ServedApp): Promise<RunningApp> {
  const { DATABASE_URL, WORKER } = app.settings;
  const applied = await applyMigrations(DATABASE_URL);
  if (applied.length > 0) app.log.info({ applied }, 'migrations applied');
  return app.start({ doesJobs: WORKER === 'in-process' });
}
