import {
  request as ask,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';

/** Hop-by-hop headers (RFC 9110, 7.6.1), and headers that lead past the proxy (RFC 7838). */
const dropped = new Set([
  'alt-svc',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Node's parser accepts any three digits. Statuses below 200 are informational or not valid (RFC 9110, 15). */
const finalStatusMin = 200;

export interface Forwarding {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** A connection to the target of `address`. */
  readonly upstream: Duplex;
  readonly address: URL;
  readonly count: (bytes: number) => void;
}

/** Forwards one request over an open connection, and its response back. */
export function forward({ request, response, upstream, address, count }: Forwarding): void {
  const giveUp = () => request.socket.destroy();
  const outgoing = ask({
    createConnection: () => upstream,
    method: request.method,
    path: `${address.pathname}${address.search}`,
    // The host of the checked URL, not of the Host header (RFC 9112, 3.2.2).
    headers: { ...passedOn(request.headers), host: address.host, connection: 'close' },
  });
  outgoing.on('error', giveUp);
  outgoing.on('upgrade', (_, socket) => socket.destroy());
  outgoing.on('response', (incoming) => {
    incoming.on('data', (chunk: Buffer) => count(chunk.length));
    incoming.on('error', giveUp);
    incoming.on('aborted', giveUp);
    if (passHead(incoming, response)) incoming.pipe(response);
    else giveUp();
  });
  request.on('data', (chunk: Buffer) => count(chunk.length));
  request.pipe(outgoing);
  response.on('close', () => upstream.destroy());
}

/** Passes on status and headers. @returns false for a response that cannot be passed on */
function passHead(incoming: IncomingMessage, response: ServerResponse): boolean {
  const { statusCode = 0, headers } = incoming;
  if (statusCode < finalStatusMin) return false;
  try {
    response.writeHead(statusCode, passedOn(headers));
    return true;
  } catch {
    // Node reads header values that it does not write. Uncaught here, the error would end the process.
    return false;
  }
}

function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}
