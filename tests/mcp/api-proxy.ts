import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fromAnywhere } from '../support/accounts';
import { stack } from '../support/stack';

/** What the proxy does with a request instead of just passing it on. */
export type Fault =
  /** The request never arrives. */
  | 'lose-request'
  /** The request never arrives, and its connection stays open. */
  | 'hold-request'
  /** The request arrives, its response does not. */
  | 'lose-answer'
  /** The request arrives, and a gateway responds instead of the service. */
  | 'gateway-error'
  /** The request arrives; its response is held back until the connection ends. */
  | 'hold-answer'
  /** The request arrives; its response never ends. */
  | 'endless-answer'
  /** The request does not arrive; the client gets this response. */
  | { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> };

export interface FaultRule {
  /** How many requests the fault affected. */
  readonly hits: number;
  /** How many bytes of an endless response were read. */
  readonly answerBytes: number;
  /** Resolves when the fault first happens, after the service has handled the request if it arrived. */
  readonly happened: Promise<void>;
}

/** An HTTP proxy in front of the service's API and files, in which a test can lose requests and responses. */
export interface ApiProxy {
  readonly apiUrl: string;
  /** The requests so far, in order: `POST /v1/account/uploads`, or `POST /v1/uploads paid` with a payment. */
  readonly requests: readonly string[];
  /** The x402 payments so far. */
  readonly payments: readonly string[];
  /** Applies the fault to the next `times` requests that match, in the notation of `requests`. */
  on(request: RegExp, fault: Fault, times?: number): FaultRule;
  close(): Promise<void>;
}

interface ActiveRule {
  readonly request: RegExp;
  readonly fault: Fault;
  left: number;
  hits: number;
  answerBytes: number;
  readonly happen: () => void;
}

export async function startApiProxy(): Promise<ApiProxy> {
  const rules: ActiveRule[] = [];
  const requests: string[] = [];
  const payments: string[] = [];
  let port = 0;

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const payment = request.headers['payment-signature'];
    const isPaid = payment !== undefined || request.headers.authorization?.startsWith('Payment ');
    const name = `${request.method} ${request.url}${isPaid ? ' paid' : ''}`;
    requests.push(name);
    if (typeof payment === 'string') payments.push(payment);
    const body = await buffer(request);
    const rule = rules.find((candidate) => candidate.left > 0 && candidate.request.test(name));
    if (rule) {
      rule.left -= 1;
      rule.hits += 1;
    }
    const fault = rule?.fault;
    if (typeof fault === 'object') {
      response
        .writeHead(fault.status, { 'Content-Type': 'application/json', ...fault.headers })
        .end(JSON.stringify(fault.body));
    } else if (fault === 'lose-request') {
      request.socket.destroy();
    } else if (fault !== 'hold-request') {
      await passOn(request, body, response, port, fault);
      if (rule && fault === 'endless-answer') rule.answerBytes = await writeUntilClosed(response);
    }
    rule?.happen();
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;

  return {
    apiUrl: `http://localhost:${port}`,
    requests,
    payments,
    on(request, fault, times = 1) {
      let happen: () => void = () => undefined;
      const happened = new Promise<void>((resolve) => {
        happen = resolve;
      });
      const rule: ActiveRule = { request, fault, left: times, hits: 0, answerBytes: 0, happen };
      rules.push(rule);
      return {
        get hits() {
          return rule.hits;
        },
        get answerBytes() {
          return rule.answerBytes;
        },
        happened,
      };
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The headers of responses that the proxy passes on. */
const passedHeaders = [
  'unsupported-characters',
  'payment-required',
  'www-authenticate',
  'paid-call-id',
  'payment-response',
  'payment-receipt',
  'idempotent-replayed',
];

async function passOn(
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  port: number,
  fault: Exclude<Fault, object> | undefined,
): Promise<void> {
  const { apiUrl, filesUrl } = stack();
  // Two host names on one port, as with the service itself.
  const isForFiles = request.headers.host?.startsWith('127.0.0.1');
  const { host, connection, 'content-length': _, ...headers } = request.headers;
  const answer = await fetch(`${isForFiles ? filesUrl : apiUrl}${request.url}`, {
    method: request.method,
    headers: { ...(headers as Record<string, string>), ...fromAnywhere() },
    body: body.length > 0 ? new Uint8Array(body) : undefined,
    redirect: 'manual',
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (fault === 'hold-answer' || fault === 'endless-answer') return;
  if (fault === 'lose-answer') {
    request.socket.destroy();
    return;
  }
  if (fault === 'gateway-error') {
    response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad Gateway</h1>');
    return;
  }
  const type = answer.headers.get('content-type') ?? '';
  // Uploads and downloads of files go through the proxy too.
  const sent = type.includes('json')
    ? Buffer.from(bytes.toString().replaceAll(`"${filesUrl}/`, `"http://127.0.0.1:${port}/`))
    : bytes;
  const passed = passedHeaders.flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  response.writeHead(answer.status, { 'Content-Type': type, ...Object.fromEntries(passed) }).end(sent);
}

/** An endless JSON text. */
async function writeUntilClosed(response: ServerResponse): Promise<number> {
  const chunk = Buffer.alloc(64 * 1024, 'a');
  let written = 0;
  response.writeHead(200, { 'Content-Type': 'application/json' }).write('"');
  while (!response.destroyed) {
    written += chunk.length;
    if (response.write(chunk)) continue;
    await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  return written;
}
