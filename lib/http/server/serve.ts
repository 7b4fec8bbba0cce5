import type { Server, ServerResponse } from 'node:http';
import type { RunningApp, ServedApp } from '@/lib/http/http-app';
import { applyMigrations } from '@/lib/platform/database/migrate';
import type { Siblings } from '@/lib/platform/siblings';
import { Acceptors } from './acceptors';
import { drain } from './drain';
import { createListener, type Destinations } from './listener';

/** How many connections may wait to be taken before the kernel drops others. Linux allows as many by default. */
const waitingConnectionsMax = 4_096;

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
  const connections = new ClosingConnections(app, server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: PORT, host: HOST, backlog: waitingConnectionsMax }, resolve);
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

/**
 * Ends the connections of a server without losing a request that a proxy has already sent on one of them. Every response from
 * then on tells its client to close the connection. Those that carry no request stay open a while, because a proxy that does
 * not know yet may be sending one at this moment, and would have to answer 502.
 */
class ClosingConnections {
  readonly #acceptors: Acceptors;
  readonly #open = new Set<ServerResponse>();
  #isClosing = false;

  constructor({ clock }: Pick<ServedApp, 'clock'>, server: Server) {
    this.#acceptors = new Acceptors(clock, server);
    for (const event of ['request', 'checkContinue'])
      server.prependListener(event, (_, res: ServerResponse) => this.#track(res));
  }

  /** Accepts no more connections. @returns when the last one is closed, which takes requests or `Server.closeIdleConnections` */
  close(): Promise<void> {
    this.#isClosing = true;
    for (const res of this.#open) endConnectionAfter(res);
    return this.#acceptors.close();
  }

  #track(res: ServerResponse): void {
    if (this.#isClosing) endConnectionAfter(res);
    this.#open.add(res);
    res.once('close', () => this.#open.delete(res));
  }
}

function endConnectionAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}
