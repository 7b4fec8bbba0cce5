import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What runs when a connection ends. One listener for all requests of a connection, of which a client may send many at once. */
const endings = new WeakMap<Socket, Set<() => void>>();

function endingsOf(socket: Socket): Set<() => void> {
  const known = endings.get(socket);
  if (known) return known;
  const added = new Set<() => void>();
  endings.set(socket, added);
  socket.once('close', () => {
    for (const run of [...added]) run();
  });
  return added;
}

/**
 * Runs something once, when the response of a request is sent or its connection has closed. The response alone does not tell:
 * Node emits no `close` of one that waits behind another of its connection (HTTP pipelining) when that connection closes.
 */
export function whenOver({ socket }: IncomingMessage, res: ServerResponse, run: () => void): void {
  const waiting = endingsOf(socket);
  const end = () => {
    if (waiting.delete(end)) run();
  };
  waiting.add(end);
  res.once('close', end);
  if (socket.closed) end();
}
