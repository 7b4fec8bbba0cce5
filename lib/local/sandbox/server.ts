import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exa } from './exa';
import { firecrawl } from './firecrawl';
import type { Asked, Reply, SandboxProvider } from './provider';
import { serper } from './serper';

/** Each below its own path: `/exa/search`. */
const providers: Readonly<Record<string, SandboxProvider>> = { exa, firecrawl, serper };

const bodyBytesMax = 1_000_000;
/** More than anybody reads of an answer. */
const floodBytes = 32 * 1024 * 1024;
const rememberedMax = 5_000;

export type SandboxProviders = {
  url: string;
  /** What the server needs in its environment to ask these instead of the real ones. */
  serverEnv: Record<string, string>;
  stop(): Promise<void>;
};

/**
 * Starts stand-ins for the paid third parties on 127.0.0.1. They speak the documented APIs, errors included, ask for a key,
 * and are strict about what they are sent. `GET /asked?text=…` tells how many requests had this text in them.
 */
export async function startSandboxProviders(port = 0): Promise<SandboxProviders> {
  const remembered: string[] = [];
  const server = createServer((request, response) => {
    handle(request, response, remembered).catch(() => response.destroy());
  });
  // Clients keep connections open, and must not find them closed under a request.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  // A test that forgets to stop it must still be able to end.
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    serverEnv: Object.fromEntries(
      Object.keys(providers).flatMap((name) => [
        [`${name.toUpperCase()}_API_KEY`, `sandbox_${name}`],
        [`${name.toUpperCase()}_BASE_URL`, `${url}/${name}`],
      ]),
    ),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function handle(request: IncomingMessage, response: ServerResponse, remembered: string[]) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
  if (pathname === '/asked') {
    const text = searchParams.get('text') ?? '';
    const count = remembered.filter((asked) => asked.includes(text)).length;
    return send(response, { status: 200, body: { count } });
  }
  const [, name = '', ...rest] = pathname.split('/');
  const provider = providers[name];
  if (!provider) return send(response, { status: 404, body: { error: 'there is no such sandbox' } });
  const body = await readBody(request);
  remembered.push(`${pathname} ${body}`);
  if (remembered.length > rememberedMax) remembered.shift();
  const asked: Asked = {
    method: request.method ?? 'GET',
    path: `/${rest.join('/')}`,
    query: searchParams,
    headers: request.headers,
    body: parse(body),
  };
  send(response, provider(asked));
}

function send(response: ServerResponse, reply: Reply): void {
  if (!('misbehaves' in reply)) {
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      sandbox: 'true',
      ...reply.headers,
    });
    response.end(reply.body === undefined ? undefined : JSON.stringify(reply.body));
    return;
  }
  switch (reply.misbehaves) {
    case 'hang':
      return;
    case 'drop':
      response.destroy();
      return;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"results":[', () => response.destroy());
      return;
    case 'text':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>It works</p>');
      return;
    case 'array':
      response.writeHead(200, { 'content-type': 'application/json' }).end('[{"results":[]}]');
      return;
    case 'flood':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(Buffer.alloc(floodBytes, ' '));
      return;
    case 'redirect':
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > bodyBytesMax) throw new Error('The body is too large.');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
