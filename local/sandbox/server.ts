import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { portOf, readBody, serve } from '../http-server';
import { duffel } from './duffel';
import { exa } from './exa';
import { firecrawl } from './firecrawl';
import type { Asked, Reply, SandboxProvider } from './provider';
import { serper } from './serper';

/** Each below its own path: `/exa/search`. */
const providers: Readonly<Record<string, SandboxProvider>> = { duffel, exa, firecrawl, serper };

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
  const server = await serve((request, response) => handle(request, response, remembered), port);
  // A test that forgets to stop it must still be able to end.
  server.unref();
  const url = `http://127.0.0.1:${portOf(server)}`;
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
  const body = await readBody(request, bodyBytesMax);
  remembered.push(`${pathname} ${body}`);
  if (remembered.length > rememberedMax) remembered.shift();
  const asked: Asked = {
    method: request.method ?? 'GET',
    path: `/${rest.join('/')}`,
    query: searchParams,
    headers: request.headers,
    body: parse(body),
  };
  send(response, provider(asked), /\bgzip\b/.test(request.headers['accept-encoding'] ?? ''));
}

/** What is long goes out compressed to whoever takes it, as it does from the real ones. */
const compressedFrom = 10_000;

function send(response: ServerResponse, reply: Reply, takesGzip = false): void {
  if (!('misbehaves' in reply)) {
    const body = reply.body === undefined ? '' : JSON.stringify(reply.body);
    const isCompressed = takesGzip && body.length > compressedFrom;
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      sandbox: 'true',
      ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
      ...reply.headers,
    });
    response.end(isCompressed ? gzipSync(body) : body);
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

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
