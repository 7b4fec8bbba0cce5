import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { stack } from './stack';

/** Exa's sandbox behind a server that a test takes down, and that fails on request. */
export interface FailingProvider {
  readonly url: string;
  /** How many calls have reached it. */
  readonly calls: number;
  /** From now on, every call is answered with 503. */
  fail(): void;
  /** Takes connections and answers again. */
  up(): Promise<void>;
  /** Refuses connections, and ends those that are open. */
  down(): Promise<void>;
  /** Takes one more connection and refuses all after it. */
  downAfterOneConnection(): Promise<void>;
}

export async function startFailingProvider(): Promise<FailingProvider> {
  let calls = 0;
  let fails = false;
  const server = http.createServer(async (request, response) => {
    calls += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (fails) {
      response.writeHead(503).end('{}');
      return;
    }
    const answered = await fetch(`${stack().serverEnv.EXA_BASE_URL}${request.url}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'x-api-key': String(request.headers['x-api-key']) },
      body: Buffer.concat(chunks),
    });
    response.writeHead(answered.status).end(await answered.text());
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const down = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get calls() {
      return calls;
    },
    fail() {
      fails = true;
    },
    async up() {
      fails = false;
      if (!server.listening) await listen(port);
    },
    down,
    async downAfterOneConnection() {
      await down();
      await listen(port);
      server.once('connection', () => server.close());
    },
  };
}
