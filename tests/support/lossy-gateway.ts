import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Ways to lose the answer to a paid request after the service has sent it. */
const faults: readonly ((request: IncomingMessage, response: ServerResponse) => void)[] = [
  (request) => request.socket.destroy(),
  (_, response) => response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
  (request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
    response.write('{"query":', () => request.socket.destroy());
  },
];

/** How many responses the gateway loses: one in each way. */
export const waysToLose = faults.length;

/** A gateway in front of the service that loses the answers of the first paid requests, each in a different way. */
export async function startLossyGateway(apiUrl: string) {
  let paid = 0;
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const { host, connection, 'content-length': _, ...headers } = request.headers;
    const answer = await fetch(apiUrl + request.url, {
      method: request.method,
      headers: headers as Record<string, string>,
      body: Buffer.concat(chunks),
    });
    const body = await answer.text();
    const fault = request.headers['payment-signature'] ? faults[paid++] : undefined;
    if (fault) return fault(request, response);
    const {
      'content-encoding': encoding,
      'content-length': length,
      ...told
    } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, told).end(body);
  };
  const server = createServer((request, response) => {
    pass(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paidRequests: () => paid,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
