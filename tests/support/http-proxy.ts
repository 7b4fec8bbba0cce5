import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface HttpRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
}

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** One intercepted request. */
export interface HttpExchange {
  /** Forwards the request to the service. */
  forward(): Promise<HttpReply>;
  reply(reply: HttpReply): void;
  /** Announces the length of the whole reply, and sends half of it. */
  truncate(reply: HttpReply): void;
  /** Closes or resets the connection. */
  end(how?: 'close' | 'reset'): void;
}

/** Handles one request. */
export type HttpAction = (exchange: HttpExchange) => Promise<void>;

/** A proxy in front of an HTTP service, in which a test can lose, delay or break single messages. */
export interface HttpProxy {
  readonly url: string;
  /** Calls this function for every request. It returns an action, or null to let the request pass. */
  intercept(decide: ((request: HttpRequest) => HttpAction | null) | null): void;
  close(): Promise<void>;
}

/** @param options `host`: replaces the `Host` header. By default the header is passed on, because S3 signatures include it */
export async function startHttpProxy(
  upstreamUrl: string,
  { host }: { host?: string } = {},
): Promise<HttpProxy> {
  let decide: ((request: HttpRequest) => HttpAction | null) | null = null;
  const pass: HttpAction = async ({ forward, reply }) => reply(await forward());
  const server = createServer(async (request, response) => {
    try {
      const { method = 'GET', url: target = '/' } = request;
      const headers = host ? { ...request.headers, host } : request.headers;
      const body = await buffer(request);
      const action = decide?.({ method, target, headers }) ?? pass;
      await action({
        forward: () => forward(new URL(target, upstreamUrl), { method, headers, body }),
        reply: (reply) => response.writeHead(reply.status, lengthOf(reply)).end(reply.body),
        truncate: (reply) => truncate(response, reply),
        end: (how = 'close') =>
          how === 'reset' ? response.socket?.resetAndDestroy() : response.socket?.destroy(),
      });
    } catch {
      // The service is down, or the caller was killed.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    intercept(next) {
      decide = next;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function forward(
  url: URL,
  { method, headers, body }: { method: string; headers: IncomingMessage['headers']; body: Buffer },
): Promise<HttpReply> {
  const { connection: _, 'transfer-encoding': __, ...kept } = headers;
  const sent = send(url, { method, headers: { ...kept, 'content-length': String(body.length) } });
  sent.end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (!response) throw new Error('no response');
  return { status: response.statusCode ?? 500, headers: response.headers, body: await buffer(response) };
}

function lengthOf({ headers, body }: HttpReply): IncomingMessage['headers'] {
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...kept } = headers;
  return { 'content-length': String(body.length), ...kept };
}

function truncate(response: ServerResponse, reply: HttpReply): void {
  response.writeHead(reply.status, lengthOf(reply));
  response.write(reply.body.subarray(0, reply.body.length / 2), () => response.destroy());
}
