import { channel } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import type { Handler } from './listener';

/** Node announces every request here before the server's own listeners get it. */
const requests = channel('http.server.request.start');

/**
 * Puts a handler before the listeners of a server that somebody else has started in this process, from its next request
 * on.
 * @param port where that server listens; there may be others in this process
 * @param takeOver gets the server and its own listeners as a handler, once, and returns the handler for all requests
 */
export function takeRequests(port: number, takeOver: (server: Server, rest: Handler) => Handler): void {
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
