import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What runs when a connection ends. One listener serves all requests of a connection, because a client may send many at once. */
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
 * Runs something once, when the response to a request is sent or its connection has closed. The response's own `close`
 * is not enough: if a connection closes, Node does not emit it for a response that waits behind another one (HTTP
 * pipelining).
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
