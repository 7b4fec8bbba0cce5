import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiRequest, ApiResponse } from '@/lib/http/api-message';
import { whenOver } from '@/lib/http/request-over';

/**
 * The chunks of a request body. Unlike Node's own iteration, ending early leaves the connection open for the response;
 * the rest of the body is then read and dropped.
 */
export function bodyOf(req: IncomingMessage): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new BodyChunks(req) };
}

/** How many chunks may wait for a busy reader before the client has to wait too. */
const waitingMax = 16;

class BodyChunks implements AsyncIterator<Uint8Array> {
  readonly #req: IncomingMessage;
  #chunks: Buffer[] = [];
  #isStarted = false;
  #error: Error | null = null;
  #wake: () => void = () => undefined;

  constructor(req: IncomingMessage) {
    this.#req = req;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    this.#start();
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) return { done: false, value: chunk };
      if (this.#error) throw this.#error;
      if (this.#req.readableEnded) return { done: true, value: undefined };
      if (this.#req.isPaused()) this.#req.resume();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#req.off('data', this.#take);
    this.#chunks = [];
    this.#req.resume();
    return { done: true, value: undefined };
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const req = this.#req;
    if (req.destroyed && !req.readableEnded) {
      this.#fail(new Error('the request was cut off'));
      return;
    }
    req.on('data', this.#take);
    req.on('end', () => this.#wake());
    req.on('error', (error) => this.#fail(error));
    req.on('close', () => {
      if (!req.readableEnded) this.#fail(new Error('the request was cut off'));
    });
  }

  readonly #take = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    if (this.#chunks.length >= waitingMax) this.#req.pause();
    this.#wake();
  };

  #fail(error: Error): void {
    this.#error ??= error;
    this.#wake();
  }
}

/** A Node request for a handler of the API. Parts that are not read cost nothing. */
export class NodeApiRequest implements ApiRequest {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  #signal: AbortSignal | undefined;
  readonly headers: ApiRequest['headers'];

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.#req = req;
    this.#res = res;
    this.headers = { get: (name) => headerOf(req, name) };
  }

  get method(): string {
    return this.#req.method ?? 'GET';
  }

  /** The client chooses the target and the Host header. Either may not form a valid URL: `GET //`. */
  get url(): string {
    const { url = '/', headers } = this.#req;
    if (!url.startsWith('/')) return URL.canParse(url) ? new URL(url).href : 'http://localhost/';
    const origin = `http://${headers.host ?? ''}`;
    const isOrigin = /^[^/?#\\@]+$/.test(headers.host ?? '') && URL.canParse(origin);
    // A path that begins with two slashes names no host.
    return new URL((isOrigin ? origin : 'http://localhost') + url).href;
  }

  get body(): AsyncIterable<Uint8Array> | null {
    const { method } = this;
    return method === 'GET' || method === 'HEAD' ? null : bodyOf(this.#req);
  }

  /** Aborts when the client disconnects before the response. */
  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#req, this.#res);
    return this.#signal;
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

function signalOf(req: IncomingMessage, res: ServerResponse): AbortSignal {
  const abort = new AbortController();
  const check = () => {
    if (!res.writableFinished) abort.abort();
  };
  if (res.closed) check();
  else whenOver(req, res, check);
  return abort.signal;
}

/**
 * Sends the response of a handler.
 * @param headers defaults for every response
 */
export function sendApiResponse(
  { method }: IncomingMessage,
  res: ServerResponse,
  { status, headers, body }: ApiResponse,
  defaults: Readonly<Record<string, string>>,
): void {
  const length = body === null && status === 204 ? {} : { 'Content-Length': Buffer.byteLength(body ?? '') };
  res.writeHead(status, { ...defaults, ...headers, ...length });
  // As text, the body is sent together with the headers.
  res.end(method === 'HEAD' || body === null ? undefined : body);
}
