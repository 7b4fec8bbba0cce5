import type { Server } from 'node:http';
import type { RunningApp } from '@/lib/http/http-app';
import type { Platform } from '@/lib/platform/platform';

/**
 * Waits a limited time for the open requests of a server that no longer accepts new ones, then ends the app.
 * @param closed resolves when the server has no open connections left
 */
export async function drain(
  app: Pick<Platform, 'clock' | 'timings' | 'log'>,
  running: RunningApp,
  server: Server,
  closed: Promise<unknown>,
): Promise<void> {
  await running.endWaits();
  // Node keeps idle connections open even when the server no longer listens.
  const closeIdleAt = app.clock.monotonic() + app.timings.server.idleConnectionMs;
  const closing = setInterval(() => {
    if (app.clock.monotonic() >= closeIdleAt) server.closeIdleConnections();
  }, 100);
  const inTime = closed.then(() => true);
  const tooLate = app.clock.sleep(app.timings.server.drainMs).then(() => false);
  const isDone = await Promise.race([inTime, tooLate]);
  clearInterval(closing);
  await running.stop();
  // Whether requests were cut off: recovery finishes those that were paid.
  if (isDone) app.log.info('stopped');
  else app.log.warn('stopped with requests under way');
}
