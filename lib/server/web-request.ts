import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/** Converts a Node request for a route handler. Its signal aborts when the client disconnects before the response. */
export function toWebRequest(req: IncomingMessage, res: ServerResponse): Request {
  const { method = 'GET', headers } = req;
  const abort = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) abort.abort();
  });
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(urlOf(req), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    ),
    signal: abort.signal,
    // Node's stream type and the platform's are declared separately.
    ...(hasBody ? { body: Readable.toWeb(req) as ReadableStream<Uint8Array>, duplex: 'half' } : {}),
  });
}

/** The client chooses the Host header, and it may not form a valid URL. */
function urlOf({ url = '/', headers: { host = '' } }: IncomingMessage): string {
  return URL.parse(url, `http://${host}`)?.href ?? new URL(url, 'http://localhost').href;
}

/**
 * Sends the response of a route handler.
 * @param headers defaults for every response
 */
export async function sendWebResponse(
  req: IncomingMessage,
  res: ServerResponse,
  response: Response,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  response.headers.forEach((value, name) => {
    if (name !== 'set-cookie') res.setHeader(name, value);
  });
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) res.setHeader('Set-Cookie', cookies);
  const body = response.body === null ? null : Buffer.from(await response.arrayBuffer());
  if (body !== null || response.status !== 204) res.setHeader('Content-Length', body?.length ?? 0);
  res.writeHead(response.status);
  res.end(req.method === 'HEAD' ? undefined : (body ?? undefined));
}
