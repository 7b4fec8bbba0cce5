import { request } from 'node:http';
import { stack } from './stack';

export interface RawRequest {
  method: string;
  /** Sent unchanged; `fetch` would normalize it. */
  path: string;
  /** Alternating names and values; names may repeat. */
  headers?: readonly string[];
  body?: string | Uint8Array;
  /** The Host header; by default the API's own. */
  host?: string;
  /** The origin of another server. */
  apiUrl?: string;
}

/** Sends a request to the server's port, exactly as written. */
export function sendRaw({
  method,
  path,
  headers = [],
  body,
  host,
  apiUrl = stack().apiUrl,
}: RawRequest): Promise<Response> {
  const api = new URL(apiUrl);
  const framing = body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))];
  return new Promise((resolve, reject) => {
    const sending = request(
      {
        host: '127.0.0.1',
        port: api.port,
        method,
        path,
        headers: ['Host', host ?? api.host, 'Connection', 'close', ...framing, ...headers],
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () => {
          const isBare = [204, 304].includes(answer.statusCode ?? 0);
          const pairs = Object.entries(answer.headersDistinct).flatMap(([name, values]) =>
            (values ?? []).map((value): [string, string] => [name, value]),
          );
          resolve(
            new Response(isBare ? null : Buffer.concat(chunks), {
              status: answer.statusCode,
              headers: pairs,
            }),
          );
        });
      },
    );
    sending.once('error', reject);
    sending.end(body);
  });
}
