import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createPublicClient } from 'viem';
import { callAlone, openTransports } from '@/lib/payments/evm/rpc-transports';
import { configuredOffers } from '@/lib/payments/network-offers';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

type Handler = (request: IncomingMessage, response: ServerResponse, nth: number) => Promise<void>;

/** Runs `work` with a node that handles each HTTP request with `handler`. */
async function withNode(handler: Handler, work: (url: string) => Promise<void>): Promise<void> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    handler(request, response, requests).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

interface Asked {
  readonly id: number;
  readonly method: string;
}

function openRpc(url: string) {
  const app = testPlatform({ BASE_RPC_URL: url });
  const [offer] = configuredOffers(app.settings);
  if (!offer) throw new Error('Base is not configured');
  const rpcs = new RpcNodes(app, offer);
  const [node] = rpcs.all;
  if (!node) throw new Error('Base has no RPC');
  return { client: createPublicClient({ transport: openTransports(app, rpcs).any }), node };
}

const clientOf = (url: string) => openRpc(url).client;

test('calls of one turn of the event loop share one request, and a call alone is sent alone', async () => {
  const bodies: unknown[] = [];
  const answer: Handler = async (request, response) => {
    const asked = (await json(request)) as Asked | Asked[];
    bodies.push(asked);
    const one = ({ id, method }: Asked) => ({
      jsonrpc: '2.0',
      id,
      result: method === 'eth_chainId' ? '0x5' : '0x9',
    });
    // The answers to a batch may come in any order.
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(one).reverse() : one(asked)));
  };
  await withNode(answer, async (url) => {
    const client = clientOf(url);
    const both = await Promise.all([client.getChainId(), client.getBlockNumber({ cacheTime: 0 })]);
    expect(both).toEqual([5, 9n]);
    expect(await client.getChainId()).toBe(5);
    expect(bodies.map((body) => Array.isArray(body))).toEqual([true, false]);
  });
});

test('an error reaches the call that it belongs to, and the error of a rejected batch reaches every call', async () => {
  const error = { code: -32_005, message: 'slow down' };
  const answer: Handler = async (request, response, nth) => {
    const asked = (await json(request)) as Asked[];
    if (nth > 2) return void response.writeHead(429).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    response.end(
      JSON.stringify(
        asked.map(({ id }) => (id === 0 ? { id, error: { ...error, code: 3 } } : { id, result: '0x9' })),
      ),
    );
  };
  await withNode(answer, async (url) => {
    const client = clientOf(url);
    const ask = () => Promise.allSettled([client.getChainId(), client.getBlockNumber({ cacheTime: 0 })]);
    expect((await ask()).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    await ask();
    for (const outcome of await ask())
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: -32_005 } });
  });
});

test('a call on a kept connection that the node has closed is sent again at once', async () => {
  const answer: Handler = async (request, response, nth) => {
    const { id } = (await json(request)) as Asked;
    if (nth === 2) response.destroy();
    else response.end(JSON.stringify({ id, result: `0x${nth}` }));
  };
  await withNode(answer, async (url) => {
    const { node } = openRpc(url);
    expect(await callAlone(node, { method: 'eth_chainId' }, 500)).toBe('0x1');
    expect(await callAlone(node, { method: 'eth_chainId' }, 500)).toBe('0x3');
  });
});

test('a node that does not answer in time, answers with a failure, or with no JSON, fails the call', async () => {
  const statuses: Handler = async (request, response) => {
    const { method } = (await json(request)) as Asked;
    if (method === 'silent') return;
    response.writeHead(method === 'gateway' ? 502 : 200).end('<h1>error</h1>');
  };
  await withNode(statuses, async (url) => {
    const { node } = openRpc(url);
    await expect(callAlone(node, { method: 'silent' }, 50)).rejects.toMatchObject({ name: 'RpcSilent' });
    await expect(callAlone(node, { method: 'gateway' }, 500)).rejects.toMatchObject({ status: 502 });
    await expect(callAlone(node, { method: 'other' }, 500)).rejects.toMatchObject({
      name: 'HttpRequestError',
    });
  });
});
