import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** A request, sent exactly as it is written here: names may repeat, and nothing is added but `Host` and the length of the body. */
export interface ExactRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array;
  /** By default 20 seconds, for the whole exchange. */
  readonly timeoutMs?: number;
}

/** What came back, no longer than the limits. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** Whether the body was longer than what is kept of it. */
  readonly isCut: boolean;
  readonly request: ExactRequest;
}

/** The other side closed the connection, or the time was over, before there was an answer. */
export class NoAnswer extends Error {
  readonly request: ExactRequest;

  constructor(request: ExactRequest, reason: string) {
    super(`${reason}\n${asCurl(request)}`);
    this.request = request;
  }
}

const bodyBytesMax = 2 ** 21;
/** Well above what clients take, so that headers above their limits are reported rather than lost. */
const headerBytesMax = 2 ** 17;
const defaultTimeoutMs = 20_000;

/**
 * Sends one request on a connection of its own. Redirects are not followed: the answer is the redirect.
 * @throws NoAnswer
 */
export function send(request: ExactRequest): Promise<Answer> {
  const { method, url, headers = [], body, timeoutMs = defaultTimeoutMs } = request;
  const framing =
    body === undefined && !['POST', 'PUT', 'PATCH'].includes(method)
      ? []
      : ['Content-Length', String(body === undefined ? 0 : Buffer.byteLength(body))];
  const options = {
    method,
    agent: false,
    maxHeaderSize: headerBytesMax,
    // As an array they are sent as they are, in this order.
    headers: ['Host', url.host, ...framing, 'Connection', 'close', ...headers.flat()],
  };
  return new Promise((resolve, reject) => {
    let sending: ClientRequest | undefined;
    const fail = (reason: string) => {
      clearTimeout(timer);
      reject(new NoAnswer(request, reason));
      sending?.destroy();
    };
    const timer = setTimeout(() => fail(`No answer within ${timeoutMs / 1000} seconds.`), timeoutMs);
    const start = url.protocol === 'https:' ? requestHttps : requestHttp;
    sending = start(url, options, (incoming) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const finish = (isCut: boolean) => {
        clearTimeout(timer);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: pairsOf(incoming.rawHeaders),
          body: Buffer.concat(chunks).subarray(0, bodyBytesMax),
          isCut,
          request,
        });
        sending?.destroy();
      };
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > bodyBytesMax) finish(true);
      });
      incoming.once('end', () => finish(false));
      incoming.once('error', (error) => fail(`The answer broke off: ${error.message}.`));
    });
    sending.once('error', (error) => fail(`The connection failed: ${error.message}.`));
    sending.end(body);
  });
}

function pairsOf(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []));
}

/** The values of a header, one for each time that it was sent. */
export function headersOf({ headers }: Pick<Answer, 'headers'>, name: string): string[] {
  return headers.filter(([other]) => other.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
}

/** The value of a header, joined with commas if it was sent more than once, which means the same (RFC 9110, 5.3). */
export function headerOf(answer: Pick<Answer, 'headers'>, name: string): string | undefined {
  const values = headersOf(answer, name);
  return values.length === 0 ? undefined : values.join(', ');
}

/** The type of the body, without parameters and in lower case. */
export function mediaTypeOf(answer: Pick<Answer, 'headers'>): string {
  return (headerOf(answer, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The body as JSON, or undefined. */
export function jsonOf({ body }: Pick<Answer, 'body'>): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The exchange, for the detail of a finding: a command that repeats the request, and what was answered. */
export function describeExchange(answer: Answer): string {
  const headers = answer.headers.map(([name, value]) => `${name}: ${shortened(value, 300)}`);
  const body = answer.body.toString('utf8');
  return [
    asCurl(answer.request),
    `answered ${answer.status}`,
    ...headers,
    ...(body ? ['', shortened(body, 500)] : []),
  ].join('\n');
}

/** A command that sends the request. Values that are too long to print are shortened, with their length. */
export function asCurl({ method, url, headers = [], body }: ExactRequest): string {
  const given = headers.map(([name, value]) => ` -H ${quoted(`${name}: ${shortened(value, 4_000)}`)}`);
  const text = body === undefined ? '' : Buffer.from(body).toString('utf8');
  const data = text ? ` --data-raw ${quoted(shortened(text, 1_000))}` : '';
  const how = method === 'HEAD' ? '-I' : `-i -X ${method}`;
  return `curl ${how} ${quoted(url.href)}${given.join('')}${data}`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const shortened = (text: string, max: number) =>
  text.length <= max ? text : `${text.slice(0, max)}… (${text.length} characters)`;
