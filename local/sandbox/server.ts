import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { portOf, readBody, serve } from '../http-server';
import { duffel } from './duffel';
import { exa } from './exa';
import { firecrawl } from './firecrawl';
import type { ProviderRequest, ProviderResponse, SandboxProvider } from './provider';
import { serper } from './serper';

/** Each has its own base path, as in `/exa/search`. */
const providers: Readonly<Record<string, SandboxProvider>> = { duffel, exa, firecrawl, serper };

const bodyBytesMax = 1_000_000;
/** More than the service reads of any response. */
const floodBytes = 32 * 1024 * 1024;
const rememberedMax = 5_000;

export type SandboxProviders = {
  url: string;
  /** The environment that makes a server use these providers instead of the real ones. */
  serverEnv: Record<string, string>;
  stop(): Promise<void>;
};

/**
 * Starts sandbox versions of the paid third-party APIs on 127.0.0.1. They implement the documented APIs with their errors,
 * require a key and reject unknown fields. `GET /requests?containing=…` returns how many requests contained a text.
 */
export async function startSandboxProviders(port = 0): Promise<SandboxProviders> {
  const remembered: string[] = [];
  const server = await serve((request, response) => handle(request, response, remembered), port);
  // A test that does not stop it must still be able to end.
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
  if (pathname === '/requests') {
    const text = searchParams.get('containing') ?? '';
    const count = remembered.filter((request) => request.includes(text)).length;
    return send(response, { status: 200, body: { count } });
  }
  const [, first = '', ...rest] = pathname.split('/');
  // Duffel's client drops the path of its base URL.
  const [name, path] = first === 'air' ? ['duffel', pathname] : [first, `/${rest.join('/')}`];
  const provider = providers[name];
  if (!provider)
    return send(response, { status: 404, body: { error: `There is no sandbox provider ${name}.` } });
  const body = await readBody(request, bodyBytesMax);
  remembered.push(`${pathname} ${body}`);
  if (remembered.length > rememberedMax) remembered.shift();
  const providerRequest: ProviderRequest = {
    method: request.method ?? 'GET',
    path,
    query: searchParams,
    headers: request.headers,
    body: parse(body),
  };
  const reply = provider(providerRequest);
  if ('afterMs' in reply && reply.afterMs) await closedOrAfter(response, reply.afterMs);
  send(response, reply, /\bgzip\b/.test(request.headers['accept-encoding'] ?? ''));
}

/** Waits for some time, but not for a client that has gone. */
async function closedOrAfter(response: ServerResponse, ms: number): Promise<void> {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  await setTimeout(ms, undefined, { signal: closed.signal, ref: false }).catch(() => undefined);
}

/** Longer responses are compressed for clients that accept it, as the real providers do. */
const compressionThreshold = 10_000;

function send(response: ServerResponse, reply: ProviderResponse, takesGzip = false): void {
  if (!('misbehaves' in reply)) {
    const body = reply.body === undefined ? '' : JSON.stringify(reply.body);
    const isCompressed = takesGzip && body.length > compressionThreshold;
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
