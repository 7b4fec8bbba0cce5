import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Handles one request. If it throws, the connection is closed without a response. */
type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Serves HTTP on 127.0.0.1. Resolves when it listens; throws if the port is taken.
 * @param port 0 for a free one
 */
export async function serve(handle: Handler, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  // Longer than clients keep idle connections, so that no connection is closed just as a client sends a request on it.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}

/** The port that a server listens on. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Reads the body of a request as text. Throws if it is longer than `bytesMax`. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > bytesMax) throw new Error('The body is too large.');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
