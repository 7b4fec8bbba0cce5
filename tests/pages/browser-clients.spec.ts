import { createHash } from 'node:crypto';
import path from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import { build } from 'esbuild';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { topUpUsdc } from '@/local/evm/funding';
import { portOf, serve } from '@/local/http-server';
import { network, stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import type { PageAnswer, PageCall, PageClients } from './browser-client/clients';

/** Pages of other origins: the official clients of both protocols, bundled unmodified, in a real browser. */

const test = base.extend<{ stranger: Page }>({
  /** A page of another origin, with the clients. */
  async stranger({ page }, use) {
    const { outputFiles } = await build({
      entryPoints: [path.resolve('tests/pages/browser-client/clients.ts')],
      bundle: true,
      write: false,
      format: 'iife',
      platform: 'browser',
      logLevel: 'error',
    });
    const script = outputFiles[0]?.text ?? '';
    const server = await serve(async (req, res) => {
      const isScript = req.url === '/clients.js';
      res.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' });
      res.end(
        isScript ? script : '<!doctype html><title>Elsewhere</title><script src="/clients.js"></script>',
      );
    }, 0);
    await page.goto(`http://127.0.0.1:${portOf(server)}`);
    await use(page);
    server.closeAllConnections();
    server.close();
  },
});

type WithClients = typeof globalThis & { clients: PageClients };

/** What libraries for tracing and MCP add to requests, and a header that nobody knows. */
const addedByLibraries = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=1',
  baggage: 'user=1',
  'X-Requested-With': 'XMLHttpRequest',
  'Mcp-Session-Id': 'none',
  'Mcp-Protocol-Version': '2025-11-25',
  'Last-Event-ID': '1',
  'X-Never-Heard-Of': '1',
};

const json = { 'Content-Type': 'application/json', ...addedByLibraries };

const hello = Buffer.from('hello');
const digest = createHash('sha256').update(hello).digest();
const announcement = {
  mime: 'text/plain',
  size: hello.length,
  sha256: digest.toString('hex'),
  sha256Base64: digest.toString('base64'),
};

const call = (at: string, body: object): PageCall => ({
  url: stack().apiUrl + at,
  method: 'POST',
  headers: { ...json, 'Idempotency-Key': crypto.randomUUID() },
  body: JSON.stringify(body),
});

async function newKey(): Promise<`0x${string}`> {
  const key = generatePrivateKey();
  const { rpcUrl, usdc } = network('base');
  const { address } = privateKeyToAccount(key);
  await topUpUsdc(rpcUrl, usdc as `0x${string}`, [address], 1_000_000n, 1_000_000n);
  return key;
}

const send = (page: Page, sending: PageCall): Promise<PageAnswer> =>
  page.evaluate((sent) => (globalThis as WithClients).clients.send(sent), sending);

test('the official x402 client pays from a page of another origin, which can read the receipt', async ({
  stranger,
}) => {
  const answer = await stranger.evaluate(
    ({ paid, key }) => (globalThis as WithClients).clients.payX402(paid, key),
    { paid: call('/v1/airports/search', { query: 'oslo' }), key: await newKey() },
  );
  expect(answer.status, answer.body).toBe(200);
  expect(JSON.parse(answer.body).airports[0]).toMatchObject({ iataCode: 'OSL' });
  for (const name of ['payment-response', 'x-payment-response', 'paid-call-id', 'request-id'])
    expect(answer.headers, name).toHaveProperty(name);
});

test(
  'the official MPP client pays from a page of another origin, which sends a file and reads it',
  fullOnly,
  async ({ stranger }) => {
    const { caip2, usdc } = network('base');
    const answer = await stranger.evaluate(
      ({ paid, key, chainId, token }) =>
        (globalThis as WithClients).clients.payMpp(paid, key, chainId, token),
      {
        paid: call('/v1/mpp/uploads', announcement),
        key: await newKey(),
        chainId: Number(caip2.split(':')[1]),
        token: usdc as `0x${string}`,
      },
    );
    expect(answer.status, answer.body).toBe(200);
    expect(answer.headers).toHaveProperty('payment-receipt');
    const { uploadUrl, uploadHeaders, publicUrl } = JSON.parse(answer.body);
    const headers = { ...addedByLibraries, ...uploadHeaders };
    const wrong = await send(stranger, { url: uploadUrl, method: 'POST', headers, body: 'hello' });
    expect([wrong.status, JSON.parse(wrong.body).error.message]).toEqual([
      405,
      'Use PUT for this URL. Nothing was charged.',
    ]);
    const put = await send(stranger, { url: uploadUrl, method: 'PUT', headers, body: 'hello' });
    expect(put.status, put.body).toBeLessThan(300);
    const read = await send(stranger, { url: publicUrl, headers: addedByLibraries });
    expect([read.status, read.body]).toEqual([200, 'hello']);
  },
);

const refusals: readonly (readonly [what: string, status: number, call: PageCall])[] = [
  [
    'a call without a payment',
    402,
    { url: '/v1/airports/search', method: 'POST', headers: json, body: '{}' },
  ],
  [
    'a call over MPP without a payment',
    402,
    { url: '/v1/mpp/uploads', method: 'POST', headers: json, body: '{}' },
  ],
  ['a wrong method', 405, { url: '/v1/airports/search', method: 'PUT', headers: json, body: '{}' }],
  ['a wrong method of a document', 405, { url: '/llms.txt', method: 'POST', headers: json, body: '{}' }],
  ['a path that does not exist', 404, { url: '/v1/nowhere', method: 'POST', headers: json, body: '{}' }],
  [
    'an unreadable payment',
    400,
    {
      url: '/v1/airports/search',
      method: 'POST',
      headers: { ...json, 'PAYMENT-SIGNATURE': 'x' },
      body: '{"query":"oslo"}',
    },
  ],
  [
    'the MCP server',
    200,
    {
      url: '/mcp',
      method: 'POST',
      headers: { ...json, Accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    },
  ],
];

for (const [what, status, { url, ...rest }] of refusals)
  test(`a page of another origin can read the answer to ${what}`, async ({ stranger }) => {
    const answer = await send(stranger, { url: stack().apiUrl + url, ...rest });
    if (status !== 400) expect(answer.status).toBe(status);
    else expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.headers).toHaveProperty('request-id');
    if (status === 402 && url.includes('mpp')) expect(answer.headers).toHaveProperty('www-authenticate');
    else if (status === 402) expect(answer.headers).toHaveProperty('payment-required');
    if (status === 405) expect(answer.headers).toHaveProperty('allow');
  });
