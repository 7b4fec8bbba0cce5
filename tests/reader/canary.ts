import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';

/** A listener that nothing should ever reach. It counts connections, not requests. */
export interface Canary {
  readonly port: number;
  readonly connections: () => number;
  readonly paths: () => readonly string[];
  close(): Promise<void>;
}

export async function startCanary(host = '127.0.0.1', port = 0): Promise<Canary> {
  let connections = 0;
  const paths: string[] = [];
  const server: Server = createServer((request, response) => {
    paths.push(request.url ?? '');
    // Any origin may read it, so that the browser's own rules do not block the request.
    response.writeHead(200, {
      'Access-Control-Allow-Origin': '*',
      'Content-Type': typeOf(request.url ?? ''),
    });
    response.end('/* canary */');
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    paths: () => paths,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A server that answers each path with these bytes, which need not be valid HTTP. */
export async function startRawServer(
  answers: Readonly<Record<string, string>>,
): Promise<Pick<Canary, 'port' | 'close'>> {
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (chunk: Buffer) => {
      const path = /^\S+ (\S+)/.exec(chunk.toString('latin1'))?.[1] ?? '';
      socket.end(Buffer.from(answers[path] ?? '', 'latin1'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function typeOf(path: string): string {
  if (/script|worker/.test(path)) return 'text/javascript';
  if (/style/.test(path)) return 'text/css';
  if (/events/.test(path)) return 'text/event-stream';
  return 'text/html';
}
