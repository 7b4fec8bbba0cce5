import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { ServedApp } from '@/lib/http/http-app';
import { ClosingConnections } from './closing-connections';
import { drain } from './drain';
import { createHandler, type Destinations, type Handler, handleConnections } from './listener';
import { migrateAndStart } from './serve';

/** Node announces every request here before the server's own listeners get it. */
const requests = channel('http.server.request.start');

/**
 * Puts a handler before the listeners of a server that somebody else has started in this process, from its next request
 * on.
 * @param port where that server listens; there may be others in this process
 * @param takeOver gets the server and its own listeners as a handler, once, and returns the handler for all requests
 */
function takeRequests(port: number, takeOver: (server: Server, rest: Handler) => Handler): void {
  const take = (message: unknown) => {
    // The shape that Node documents for this channel.
    const { server } = message as { server: Server };
    if (!listensAt(server, port)) return;
    requests.unsubscribe(take);
    const own = server.listeners('request');
    server.removeAllListeners('request');
    // Without listeners, a request for an upgrade is answered like every other one.
    server.removeAllListeners('upgrade');
    const handle = takeOver(server, async (req, res) => {
      for (const listener of own) await listener.call(server, req, res);
    });
    server.on('request', handle);
  };
  requests.subscribe(take);
}

function listensAt(server: Server, port: number): boolean {
  const address = server.address();
  return typeof address === 'object' && address?.port === port;
}

/** The variables of the process that tell how the framework was started. */
interface FrameworkEnvironment {
  /** Where its server listens. It is absent on function hosts, which start no server. */
  readonly PORT?: string;
  /** Set when the framework is to leave SIGTERM to others. */
  readonly NEXT_MANUAL_SIG_HANDLE?: string;
}

/**
 * Starts an app in a process where the framework listens. If it listens at a port, our listener takes the requests
 * first, as under `npm start`, and leaves pages to the framework (docs/decisions/next.md). On SIGTERM the
 * framework closes its server, waits for open requests and exits, so long polls are ended early.
 * @throws Error when it cannot start, because of a setting or a migration
 */
export async function serveUnderFramework(
  app: ServedApp,
  destinations: Omit<Destinations, 'framework'>,
  { PORT, NEXT_MANUAL_SIG_HANDLE }: FrameworkEnvironment,
): Promise<void> {
  if (app.settings.PROCESSES > 1) app.log.warn('PROCESSES works only with npm start');
  let server: Server | undefined;
  let connections: ClosingConnections | undefined;
  const starting = migrateAndStart(app);
  if (PORT)
    takeRequests(Number(PORT), (found, framework) => {
      server = found;
      // Otherwise the framework closes them in its own way.
      if (NEXT_MANUAL_SIG_HANDLE) connections = new ClosingConnections(found);
      const listen = createHandler(app, { ...destinations, framework });
      const listenOnceStarted: Handler = async (req, res) => {
        await starting;
        await listen(req, res);
      };
      handleConnections(app, found, listenOnceStarted);
      return listenOnceStarted;
    });
  const running = await starting;
  app.log.info('started under the framework');

  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    if (server) {
      await drain(app, running, server, connections?.close() ?? once(server, 'close'));
    } else await running.stop();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
