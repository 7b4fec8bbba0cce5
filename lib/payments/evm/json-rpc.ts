import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createTransport, HttpRequestError, RpcRequestError, TimeoutError, type Transport } from 'viem';
import { z } from 'zod';

const agents = {
  'http:': new HttpAgent({ keepAlive: true }),
  'https:': new HttpsAgent({ keepAlive: true }),
};
/** The largest response that is accepted. */
const answerBytesMax = 32 * 1024 * 1024;
/** Nodes accept no more calls in one batch. */
const callsPerBatchMax = 1_000;

export interface RpcCall {
  readonly method: string;
  readonly params?: unknown;
}

interface WaitingCall extends RpcCall {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Called when an HTTP request has ended. An error that the node returns counts as `answered`. */
type OnEnd = (result: 'answered' | 'failed') => void;

const answerSchema = z.object({
  id: z.number().nullish(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).nullish(),
});

/**
 * A viem transport over plain Node requests on keep-alive connections. Calls made in the same turn of the event loop share a
 * JSON-RPC batch, which is sent at the end of that turn. viem's own transport holds each batch until a timer fires, which
 * costs every round trip a millisecond, and uses the global `fetch`, which Next wraps with caching and tracing.
 */
export function rpcTransport(
  url: string,
  options: { timeoutMs: number; retryCount: number; onEnd?: OnEnd },
): Transport {
  const { timeoutMs, retryCount, onEnd } = options;
  let waiting: WaitingCall[] = [];
  const leave = () => {
    const calls = waiting;
    waiting = [];
    for (let start = 0; start < calls.length; start += callsPerBatchMax) {
      void send(url, calls.slice(start, start + callsPerBatchMax), timeoutMs, onEnd);
    }
  };
  const request = ({ method, params }: RpcCall) =>
    new Promise<unknown>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(leave);
      waiting.push({ method, params, resolve, reject });
    });
  return () =>
    createTransport({
      key: 'http',
      name: 'HTTP JSON-RPC',
      type: 'http',
      // viem's type lists the result of every method that it knows.
      request: request as Parameters<typeof createTransport>[0]['request'],
      retryCount,
      timeout: timeoutMs,
    });
}

/** Makes a call in a request of its own, so that no other call waits for its response. It is not retried. */
export function callAlone(url: string, call: RpcCall, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    void send(url, [{ ...call, resolve, reject }], timeoutMs);
  });
}

/** Sends calls in one HTTP request, and settles each. Never rejects. */
async function send(
  url: string,
  calls: readonly WaitingCall[],
  timeoutMs: number,
  onEnd: OnEnd = () => undefined,
): Promise<void> {
  const bodies = calls.map(({ method, params = [] }, id) => ({ jsonrpc: '2.0', id, method, params }));
  try {
    const body = JSON.stringify(bodies.length === 1 ? bodies[0] : bodies);
    const parsed = await post(url, body, timeoutMs).catch((error: unknown) => {
      // The other side had closed the keep-alive connection. All our calls can safely be sent twice.
      if (error instanceof StaleConnection) return post(url, body, timeoutMs);
      throw error;
    });
    // A batch that the node rejects as a whole gets a single answer.
    const list = Array.isArray(parsed) ? parsed : calls.map((_, id) => ({ ...(parsed as object), id }));
    const answers = new Map(list.map((one) => answerSchema.parse(one)).map((one) => [one.id, one] as const));
    onEnd('answered');
    for (const [id, call] of calls.entries()) settle(url, call, answers.get(id));
  } catch (error) {
    onEnd('failed');
    for (const { reject } of calls) reject(error);
  }
}

function settle(
  url: string,
  { method, params, resolve, reject }: WaitingCall,
  answer?: z.output<typeof answerSchema>,
) {
  if (!answer) reject(new Error(`the response to ${method} is missing`));
  else if (answer.error) reject(new RpcRequestError({ body: { method, params }, error: answer.error, url }));
  else resolve(answer.result);
}

/** The connection ended before a response began, and had been used before. */
class StaleConnection extends HttpRequestError {}

/** @returns the parsed response; throws viem's errors, because viem retries after some of them */
async function post(url: string, body: string, timeoutMs: number): Promise<unknown> {
  const isPlain = url.startsWith('http:');
  const request = (isPlain ? httpRequest : httpsRequest)(url, {
    agent: isPlain ? agents['http:'] : agents['https:'],
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
  });
  const timer = setTimeout(() => request.destroy(new TimeoutError({ body: {}, url })), timeoutMs);
  let answer: IncomingMessage | null = null;
  try {
    answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      // Not removed, because the connection may also break later.
      request.on('error', reject);
      request.end(body);
    });
    const text = await readText(answer);
    const { statusCode: status = 502, statusMessage: details } = answer;
    // Some nodes send JSON-RPC errors with an HTTP error status.
    if (status >= 300 && !hasError(text))
      throw new HttpRequestError({ status, details, headers: headersOf(answer), url });
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof HttpRequestError || error instanceof TimeoutError) throw error;
    const failure = { cause: error instanceof Error ? error : undefined, url };
    throw request.reusedSocket && answer === null
      ? new StaleConnection(failure)
      : new HttpRequestError(failure);
  } finally {
    clearTimeout(timer);
  }
}

function hasError(text: string): boolean {
  try {
    return Boolean(answerSchema.parse(JSON.parse(text)).error);
  } catch {
    return false;
  }
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > answerBytesMax) throw new Error('the JSON-RPC response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function headersOf({ headers }: IncomingMessage): Headers {
  const retryAfter = headers['retry-after'];
  return new Headers(retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
}
