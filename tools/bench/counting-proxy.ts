// A proxy in front of a chain that counts what passes through, in its own process. Calls inside a batch count individually;
// every HTTP request is a round trip. It also times each settlement, from the arrival of its broadcast to the departure of
// the first answer with its receipt.
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Traffic {
  readonly calls: number;
  readonly roundTrips: number;
  readonly methods: Readonly<Record<string, number>>;
  /** The time of each settlement, in order, in milliseconds. */
  readonly settlements: readonly number[];
}

interface RpcCall {
  readonly id: number;
  readonly method: string;
}

const receiptMethods: ReadonlySet<string> = new Set([
  'eth_getTransactionReceipt',
  'eth_sendRawTransactionSync',
]);
const upstream = process.argv[2] ?? '';
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
let traffic = { calls: 0, roundTrips: 0, methods: {} as Record<string, number>, settlements: [] as number[] };
let broadcastMs: number | null = null;

const server = createServer(async (req, res) => {
  const body = await buffer(req);
  const parsed = JSON.parse(body.toString()) as RpcCall | RpcCall[];
  const calls = Array.isArray(parsed) ? parsed : [parsed];
  traffic.roundTrips += 1;
  for (const { method } of calls) {
    traffic.calls += 1;
    traffic.methods[method] = (traffic.methods[method] ?? 0) + 1;
    if (method.startsWith('eth_sendRawTransaction')) broadcastMs = performance.now();
  }
  const answer = await forward(body);
  const asksForReceipt = calls.some(({ method }) => receiptMethods.has(method));
  const hasReceipt = asksForReceipt && answer.includes('"blockHash"');
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length });
  res.end(answer);
  if (hasReceipt && broadcastMs !== null) {
    traffic.settlements.push(performance.now() - broadcastMs);
    broadcastMs = null;
  }
});

function forward(body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
    const request = httpRequest(upstream, { agent, method: 'POST', headers }, (response) => {
      buffer(response).then(resolve, reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

process.on('message', () => {
  process.send?.({ result: traffic satisfies Traffic });
  traffic = { calls: 0, roundTrips: 0, methods: {}, settlements: [] };
});
server.listen(0, '127.0.0.1', () =>
  process.send?.({ isReady: true, port: (server.address() as AddressInfo).port }),
);
