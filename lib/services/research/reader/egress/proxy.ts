import {
  request as ask,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { readTarget, type Target } from '@/lib/platform/addresses/target';
import { readUrl } from '@/lib/platform/addresses/url';
import { dial } from './dial';
import type { EgressRules } from './rules';
import { Visit, type VisitLimits } from './visit';

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

interface Forwarding {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** A connection to the target of `address`. */
  readonly upstream: Duplex;
  readonly address: URL;
  readonly count: (bytes: number) => void;
}

/** Forwards one request over an open connection, and its response back. */
function forward({ request, response, upstream, address, count }: Forwarding): void {
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

/** The browser requests this URL to authenticate with the proxy. The proxy itself answers. */
export const greetingUrl = 'http://proxy.invalid/';
const realm = 'reader';
const idleTimeoutMs = 20_000;

/**
 * The reader's browser can connect only to this HTTP proxy (RFC 9110, 9.3.6 CONNECT and absolute-form) on the loopback
 * interface. It resolves names, checks addresses (rules.ts), connects to the checked address and counts bytes. Every
 * request needs the credential of a current visit, so nothing else on the machine can use it.
 */
export class EgressProxy {
  readonly #rules: EgressRules;
  readonly #visits = new Map<string, Visit>();
  readonly #server: Server;

  private constructor(rules: EgressRules) {
    this.#rules = rules;
    this.#server = createServer({ keepAliveTimeout: idleTimeoutMs }, (request, response) => {
      this.#answer(request, response).catch(() => request.socket.destroy());
    });
    this.#server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
      client.on('error', () => client.destroy());
      this.#tunnel(request, client, head).catch(() => client.destroy());
    });
    this.#server.on('clientError', (_, socket) => socket.destroy());
  }

  static async start(rules: EgressRules): Promise<EgressProxy> {
    const proxy = new EgressProxy(rules);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    // It does not keep the process alive.
    proxy.#server.unref();
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the egress proxy does not listen');
    return address.port;
  }

  /** Opens a visit, which is valid until `closeVisit`. */
  openVisit(limits: VisitLimits): Visit {
    const visit = new Visit(limits);
    this.#visits.set(visit.username, visit);
    return visit;
  }

  closeVisit(visit: Visit): void {
    this.#visits.delete(visit.username);
    visit.end();
  }

  async close(): Promise<void> {
    for (const visit of this.#visits.values()) visit.end();
    this.#visits.clear();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  /** An http request in absolute form. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const visit = this.#visitOf(request);
    if (!visit) {
      response.writeHead(407, { 'Proxy-Authenticate': `Basic realm="${realm}"`, Connection: 'close' });
      response.end();
      return;
    }
    if (request.url === greetingUrl) {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end('<!doctype html>');
      return;
    }
    const requested = readHttpUrl(request.url ?? '');
    const upstream = requested && (await this.#connect(visit, requested.target));
    // No response of ours, because the page would take it for the site's.
    if (!upstream) {
      request.socket.destroy();
      return;
    }
    visit.hold(request.socket);
    forward({ request, response, upstream, address: requested.address, count: visit.meter() });
  }

  /** CONNECT (RFC 9110, 9.3.6), for https and WebSockets. */
  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const visit = this.#visitOf(request);
    if (!visit) {
      const ask = `Proxy-Authenticate: Basic realm="${realm}"`;
      client.end(`HTTP/1.1 407 Proxy Authentication Required\r\n${ask}\r\nConnection: close\r\n\r\n`);
      return;
    }
    const target = readTarget(request.url ?? '');
    const upstream = target && (await this.#connect(visit, target));
    if (!upstream) {
      client.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    visit.hold(client);
    const count = visit.meter();
    for (const stream of [client, upstream]) stream.on('data', (chunk: Buffer) => count(chunk.length));
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) upstream.write(head);
    client.pipe(upstream).pipe(client);
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  }

  async #connect(visit: Visit, target: Target): Promise<Duplex | null> {
    if (!visit.begin()) return null;
    const connected = await dial(target, this.#rules);
    if (typeof connected === 'string') {
      visit.fail(target, connected);
      return null;
    }
    connected.on('error', () => connected.destroy());
    connected.setTimeout(idleTimeoutMs, () => connected.destroy());
    visit.hold(connected);
    return connected.destroyed ? null : connected;
  }

  /** Basic authentication (RFC 7617) for proxies. */
  #visitOf({ headers }: IncomingMessage): Visit | null {
    const encoded = /^Basic ([A-Za-z0-9+/=]{1,200})$/i.exec(headers['proxy-authorization'] ?? '')?.[1];
    if (encoded === undefined) return null;
    const [username = '', password = ''] = Buffer.from(encoded, 'base64').toString('latin1').split(':');
    const visit = this.#visits.get(username);
    return visit?.authenticates(password) ? visit : null;
  }
}

function readHttpUrl(text: string): { address: URL; target: Target } | null {
  const target = readUrl(text);
  return typeof target === 'string' || !/^http:/i.test(text) ? null : { address: new URL(text), target };
}
