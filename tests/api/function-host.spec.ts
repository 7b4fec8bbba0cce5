import { gunzipSync } from 'node:zlib';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { freeOperations, operations } from '@/lib/catalog';
import { adapterChecksumsPath, adapterFiles } from '@/lib/catalog/adapter';
import { documents } from '@/lib/discovery/documents';
import { topUpGas } from '@/local/evm/funding';
import { findFreePort } from '@/local/free-port';
import { balanceOf } from '../support/balances';
import { bundledProgram } from '../support/bundled-program';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { callMessage, callTool, connectMcp, connectStatelessMcp, expectToolPaidOnce } from '../support/mcp';
import { payingMcpClient } from '../support/mpp-buyer';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { newEvmPayer } from '../support/payers';
import { type Program, startProgram } from '../support/program';
import { addressesAt, addressSettings } from '../support/server';
import { evmNetworkNames, network, stack } from '../support/stack';
import { type RemoteService, remoteServices } from '../support/stores';
import { putFile, type Slot } from '../support/uploads';
import { expect, test } from '../support/without-browser';

/**
 * The service on a host that runs functions (tests/support/function-host.ts): instrumentation.ts starts the app, and the
 * framework calls the same route handlers that our listener would call itself.
 */

let next: Program;
let database: NewDatabase;
let bucket: RemoteService;
let nextUrl = '';
let filesUrl = '';

test.beforeAll(async () => {
  [database, bucket] = await Promise.all([migratedDatabase(), remoteServices['s3, checking']()]);
  const port = await findFreePort();
  const addresses = addressesAt(port);
  nextUrl = addresses.apiUrl;
  filesUrl = addresses.filesUrl;
  const env = {
    ...stack().serverEnv,
    ...bucket.serverEnv,
    ...addressSettings(port),
    DATABASE_URL: database.url,
    // One key signs for one database: with two, the same nonces would be used twice.
    SETTLEMENT_KEYS_EVM: await newSettlementKey(),
    RATE_LIMIT_FACTOR: '1000',
    TRUSTED_PROXIES: '1',
  };
  const isUp = (output: string) => output.includes('"msg":"listening"');
  next = await startProgram(await bundledProgram('function-host'), env, isUp, { timeoutMs: 60_000 });
});
test.afterAll(async () => {
  await next.kill();
  await database.drop();
  await bucket.stop();
});

async function newSettlementKey(): Promise<string> {
  const key = generatePrivateKey();
  const { address } = privateKeyToAccount(key);
  await Promise.all(evmNetworkNames.map((name) => topUpGas(network(name).rpcUrl, address, 10n ** 20n)));
  return key;
}

/** Headers that differ by design between two answers to the same request, or are the framework's own. */
const changing = [
  'connection',
  // Our listener compresses answers itself; elsewhere, a proxy does.
  'content-encoding',
  'content-length',
  'date',
  'etag',
  'keep-alive',
  'payment-required',
  'ratelimit',
  'request-id',
  'transfer-encoding',
  'vary',
  'www-authenticate',
];

/** The text of an answer; of an npm package, which has the service's address in it, the text of its files. */
async function textOf(answer: Response): Promise<string> {
  const body = Buffer.from(await answer.arrayBuffer());
  const isPackage = body[0] === 0x1f && body[1] === 0x8b;
  return isPackage ? gunzipSync(body).toString('latin1') : body.toString();
}

/** An answer without the parts that differ each time: ids, tokens, times and the service's address. */
async function comparable(url: string, init: RequestInit) {
  const answer = await fetch(url, { redirect: 'manual', ...init });
  const headers = [...answer.headers].filter(([name]) => !changing.includes(name));
  const text = (await textOf(answer))
    .replaceAll(new URL(url).origin, 'https://service')
    .replaceAll(new URL(url).host, 'service')
    .replaceAll(
      /"(token|requestId|accountId|expires|id|realm|nonce|issuedAt|expirationTime)":"[^"]*"/g,
      '"$1":"…"',
    )
    .replaceAll(/acct_\w{24}/g, 'acct_…')
    .replaceAll(/req_\w{24}/g, 'req_…')
    // The hashes of documents and programs that contain the service's address.
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'sha256');
  return { status: answer.status, headers: Object.fromEntries(headers), text };
}

const json = (body: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });

const jsonMessage = (message: unknown): RequestInit => ({
  ...json(message),
  headers: { 'Content-Type': 'application/json' },
});

const requests: readonly (readonly [path: string, init: RequestInit])[] = [
  ...operations.flatMap(({ method, paths }) =>
    Object.values(paths).map((path) => [path.replaceAll(/\{\w+\}/g, 'someId'), { method }] as const),
  ),
  ...freeOperations.map(({ method, path }) => [path.replaceAll(/\{\w+\}/g, 'someId'), { method }] as const),
  ['/v1/uploads', { method: 'PUT', body: 'x' }],
  ['/v1/uploads', { method: 'OPTIONS' }],
  ['/v1/uploads', { method: 'POST', headers: { 'PAYMENT-SIGNATURE': 'not base64' } }],
  ['/v1/uploads/', { method: 'POST' }],
  ['/v1/mpp/uploads', { method: 'POST', headers: { Authorization: 'Payment nonsense' } }],
  ['/v1/flights/offers/off_1', { method: 'HEAD' }],
  ['/v1/paid-calls/pc_%20', { method: 'GET' }],
  ['/v1/forms/%C3%A9/responses', { method: 'GET', headers: { Authorization: 'Bearer wrong' } }],
  ...['GET', 'HEAD', 'OPTIONS', 'POST'].flatMap((method) =>
    ['/v1/nothing', '/v1/%75ploads', '/v1/render/pdf', '/v1/account/render/pdf', '/.well-known/nothing'].map(
      (path) => [path, { method }] as const,
    ),
  ),
  ['/v1/uploads', { method: 'GET', headers: { Accept: 'text/html' } }],
  ['/.well-known/nothing', { method: 'GET', headers: { Accept: 'text/html' } }],
  ['/adapter/nothing', { method: 'GET', headers: { Accept: 'text/html' } }],
  ['/v1/tools/prices', { method: 'HEAD' }],
  ['/v1/tools/check', json({ operation: 'uploads.create', body: { mime: 'text/plain' } })],
  ['/v1/tools/flight-booking-links', json({ origin: 'LHR' })],
  ['/v1/account', { method: 'GET', headers: { Authorization: 'Bearer wrong' } }],
  ['/health', { method: 'GET' }],
  ['/health/ready', { method: 'GET' }],
  ['/mcp', { method: 'GET' }],
  ['/mcp', { method: 'DELETE' }],
  ['/mcp', { method: 'OPTIONS' }],
  ...[
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    callMessage('tools_prices', {}),
    callMessage('account_get', {}),
    callMessage('no_such_tool', {}),
  ].map((message) => ['/mcp', jsonMessage(message)] as const),
  // Our listener holds these in memory.
  ...Object.keys(documents).map((path) => [path, { method: 'GET' }] as const),
  ...[...Object.values(adapterFiles).map((file) => file.path), adapterChecksumsPath].flatMap((path) =>
    ['GET', 'HEAD', 'POST'].map((method) => [path, { method }] as const),
  ),
  ['/adapter/tuppence-mcp-0.0.1.tgz', { method: 'GET' }],
  ...[
    '/',
    '/docs',
    '/docs/errors',
    '/docs/reference',
    '/docs/reference/forms',
    '/docs/paying-with-x402',
  ].flatMap((path) =>
    ['text/html', 'text/markdown', '*/*'].map(
      (Accept) => [path, { method: 'GET', headers: { Accept } }] as const,
    ),
  ),
  ['/docs/errors.md', { method: 'HEAD' }],
  ['/docs/nothing', { method: 'GET', headers: { Accept: 'text/html' } }],
  ['/docs/nothing', { method: 'GET' }],
  ['/docs/', { method: 'GET' }],
  ['/openapi.json', { method: 'POST' }],
  ['/openapi.json', { method: 'OPTIONS' }],
];

test('every route responds the same through our listener and under the framework', async () => {
  for (const [path, init] of requests) {
    const [ours, theirs] = await Promise.all([
      comparable(stack().apiUrl + path, init),
      comparable(nextUrl + path, init),
    ]);
    expect(theirs, `${init.method} ${path}`).toEqual(ours);
  }
});

/** Buys an upload with a payment that can be sent again. */
async function purchase(file = aFile(5)) {
  const url = `${nextUrl}/v1/uploads`;
  const envelope = await envelopeFor(url, await newEvmPayer(), 'base');
  return () => fetch(url, { method: 'POST', body: file.body, headers: paymentHeader(envelope) });
}

test('under the framework a call is charged once, and a retry gets the stored response', async () => {
  const buy = await purchase();
  const first = await buy();
  expect(first.status, await first.clone().text()).toBe(200);
  const again = await buy();
  expect(await again.json()).toEqual(await first.json());
  expect(again.headers.get('payment-response')).toBe(first.headers.get('payment-response'));
});

test('under the framework tools are paid over MCP with x402 and MPP, once each', async () => {
  for (const connect of [connectMcp, connectStatelessMcp]) {
    const client = await connect(nextUrl);
    const wallet = await newEvmPayer();
    await expectToolPaidOnce(client, wallet);
    // The wrapper's type is for the older client. Both clients have the method that it replaces.
    const paying = payingMcpClient(client as Awaited<ReturnType<typeof connectMcp>>, wallet, 'base');
    const overMpp = await callTool(paying, 'uploads_create', aFile().announcement);
    expect(overMpp._meta['org.paymentauth/receipt']).toMatchObject({ status: 'success' });
    await client.close();
    expect(await balanceOf(wallet, 'base')).toBe(9_990_000n);
  }
});

test('under the framework links are served on the files origin, and nothing else is', async () => {
  const file = aFile(100_000, 'page.html', 'text/html');
  const bought = await (await purchase(file))();
  const slot = (await bought.json()) as Slot;
  expect((await putFile(slot, file.bytes)).status).toBe(200);
  expect(new URL(slot.publicUrl).origin).toBe(filesUrl);
  const served = await fetch(slot.publicUrl);
  expect(served.status).toBe(200);
  expect(served.headers.get('content-security-policy')).toContain('sandbox');
  expect(served.headers.get('content-disposition')).toContain('attachment');
  expect(Buffer.from(await served.arrayBuffer()).equals(file.bytes)).toBe(true);
  const part = await fetch(slot.publicUrl, { headers: { Range: 'bytes=10-19' } });
  expect(part.status).toBe(206);
  expect(Buffer.from(await part.arrayBuffer()).equals(file.bytes.subarray(10, 20))).toBe(true);
  expect((await fetch(slot.publicUrl, { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(slot.publicUrl, { method: 'DELETE' })).status).toBe(405);

  expect((await fetch(slot.publicUrl.replace(filesUrl, nextUrl))).status).toBe(404);
  for (const path of ['/', '/docs', '/f/some-form', '/v1/tools/prices', '/openapi.json', '/health']) {
    const answer = await fetch(filesUrl + path);
    expect([path, answer.status]).toEqual([path, 404]);
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
  }
});

test('a path with NUL is malformed', async () => {
  await expectError(await fetch(`${nextUrl}/v1/paid-calls/pc_%00`), 'malformed_request', nextUrl);
});
