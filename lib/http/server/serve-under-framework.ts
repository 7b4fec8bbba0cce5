import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { addressOfConnection } from '@/lib/http/client-address';
import type { ServedApp } from '@/lib/http/http-app';
import { newId } from '@/lib/platform/ids';
import type { Settings } from '@/lib/platform/settings';
import { drain } from './drain';
import { migrateAndStart } from './serve';

/** Node announces every request here before the server's listeners get it. */
const requests = channel('http.server.request.start');

/** The variables of the process that tell how the framework was started. */
interface FrameworkEnvironment {
  /** Where its server listens. It is absent on function hosts, which start no server. */
  readonly PORT?: string;
  /** Set when the framework is to leave SIGTERM to others. */
  readonly NEXT_MANUAL_SIG_HANDLE?: string;
}

/**
 * Starts an app in a process where the framework listens, and routes take the requests (docs/decisions/next.md). They read
 * the client's address in X-Forwarded-For, which is replaced here, so that no client can choose it. On SIGTERM the
 * framework closes its server, waits for open requests and exits, so long polls are ended early.
 * @param settings the number of proxies in front of the framework's server
 * @throws Error when it cannot start, because of a setting or a migration
 */
export async function serveUnderFramework(
  app: ServedApp,
  settings: Pick<Settings, 'TRUSTED_PROXIES'>,
  { PORT, NEXT_MANUAL_SIG_HANDLE }: FrameworkEnvironment,
): Promise<void> {
  if (app.settings.PROCESSES > 1) app.log.warn('PROCESSES works only with npm start');
  let server: Server | undefined;
  if (PORT)
    requests.subscribe((message) => {
      // The shape that Node documents for this channel.
      const { request, server: of } = message as { request: IncomingMessage; server: Server };
      if (!listensAt(of, Number(PORT))) return;
      server = of;
      request.headers['x-forwarded-for'] = addressOfConnection(settings, request);
      request.headers['request-id'] = newId('req');
    });
  const running = await migrateAndStart(app);
  app.log.info('started under the framework');

  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    if (server) {
      const closed = once(server, 'close');
      // Otherwise the framework closes it.
      if (NEXT_MANUAL_SIG_HANDLE) server.close();
      await drain(app, running, server, closed);
    } else await running.stop();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

/** There may be other servers in the process. */
function listensAt(server: Server, port: number): boolean {
  const address = server.address();
  return typeof address === 'object' && address?.port === port;
}
