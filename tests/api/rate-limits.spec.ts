import { expect, test } from '@playwright/test';
import { rateLimits } from '@/lib/catalog/rate-limits';
import { fromAnywhere, openAccount } from '../support/accounts';
import { balanceOf } from '../support/balances';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { callMessage, connectMcp, paidBy, paymentFor, postMcp } from '../support/mcp';
import { newEvmPayer } from '../support/payers';
import { startServer, type TestServer } from '../support/server';
import { stack } from '../support/stack';

/** Of the real limits, so that few calls use them up. */
const factor = 0.05;
const calls = rateLimits.freeCalls.quota * factor;
const tokens = Math.round(rateLimits.wrongTokens.quota * factor);

let server: TestServer;
test.beforeAll(async () => {
  const settings = { TRUSTED_PROXIES: '1', DATABASE_POOL: '5', WORKER: 'separate' };
  server = await startServer({ ...stack().serverEnv, ...settings, RATE_LIMIT_FACTOR: String(factor) });
});
test.afterAll(() => server?.stop());

type From = Record<string, string>;
const get = (path: string, headers: From) => fetch(`${server.apiUrl}${path}`, { headers });
const post = (path: string, headers: From, body: string) =>
  fetch(`${server.apiUrl}${path}`, { method: 'POST', headers, body });

/** Uses up all that an address may call for nothing. */
async function useUp(from: From): Promise<Response[]> {
  const answers: Response[] = [];
  for (let index = 0; index < calls; index += 1) answers.push(await get('/v1/tools/prices', from));
  return answers;
}

test('a free call says how much of its limit is left, and for how long', async () => {
  const from = fromAnywhere();
  for (const left of [calls - 1, calls - 2]) {
    const { headers } = await get('/v1/tools/prices', from);
    expect(headers.get('ratelimit-policy')).toBe(`"free-calls";q=${calls};w=10`);
    expect(headers.get('ratelimit')).toMatch(new RegExp(`^"free-calls";r=${left};t=\\d+$`));
  }
});

test('an address over its limit gets 429 with Retry-After; others are served', async () => {
  const from = fromAnywhere();
  expect((await useUp(from)).map(({ status }) => status)).toEqual(Array(calls).fill(200));
  for (const path of ['/v1/tools/prices', '/v1/paid-calls/pc_1', '/v1/forms/fm_1/responses']) {
    const refused = await get(path, from);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(10);
    expect(refused.headers.get('ratelimit')).toMatch(/^"free-calls";r=0;t=\d+$/);
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    await expectError(refused, 'rate_limited', server.apiUrl);
  }
  expect((await get('/v1/tools/prices', fromAnywhere())).status).toBe(200);
});

test('addresses in one IPv6 network share a limit', async () => {
  const network = fromAnywhere()['X-Forwarded-For']?.replace('::1', '') ?? '';
  await useUp({ 'X-Forwarded-For': `${network}::1` });
  expect((await get('/v1/tools/prices', { 'X-Forwarded-For': `${network}::2` })).status).toBe(429);
});

test('a large body counts as several calls', async () => {
  const from = fromAnywhere();
  const body = JSON.stringify({ operation: 'render.pdf', body: { html: 'x'.repeat(4 * 65_536) } });
  const { headers } = await post('/v1/tools/check', from, body);
  expect(headers.get('ratelimit')).toContain(`r=${calls - 5};`);
});

test('paid calls, challenges and health are not limited', async () => {
  const from = fromAnywhere();
  await useUp(from);
  expect((await post('/v1/uploads', from, '')).status).toBe(402);
  expect((await get('/health', from)).status).toBe(200);
});

test('pages of forms count like free calls', async () => {
  const from = fromAnywhere();
  const { headers } = await get('/f/fm_1', from);
  expect(headers.get('ratelimit')).toContain(`r=${calls - 1};`);
  await useUp(from);
  expect((await get('/f/fm_1', from)).status).toBe(429);
});

test('an address that guesses tokens is refused, even with other tokens', async () => {
  const from = fromAnywhere();
  const wrong = (index: number) => ({ ...from, Authorization: `Bearer tpt_${index}` });
  for (let index = 0; index < tokens; index += 1) {
    await expectError(await get('/v1/account', wrong(index)), 'account_token_wrong', server.apiUrl);
  }
  const refused = await get('/v1/account', wrong(tokens));
  expect(refused.headers.get('ratelimit')).toMatch(/^"wrong-tokens";r=0;t=\d+$/);
  await expectError(refused, 'rate_limited', server.apiUrl);
  const paid = await post('/v1/account/airports/search', wrong(tokens + 1), '{"query":"LHR"}');
  await expectError(paid, 'rate_limited', server.apiUrl);
});

test('a token known to be valid is accepted from an address that has guessed many', async () => {
  const from = fromAnywhere();
  const { token } = await openAccount();
  const right = { ...from, Authorization: `Bearer ${token}` };
  expect((await get('/v1/account', right)).status).toBe(200);
  for (let index = 0; index <= tokens; index += 1)
    await get('/v1/account', { ...from, Authorization: 'Bearer x' });
  expect((await get('/v1/account', { ...from, Authorization: 'Bearer x' })).status).toBe(429);
  expect((await get('/v1/account', right)).status).toBe(200);
});

const mcp = (message: unknown, from: From) => postMcp(message, from, server.apiUrl);
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

test('messages to /mcp that do not pay count like free calls, and one over the limit has an error that says when to come back', async () => {
  const from = fromAnywhere();
  const messages = [ping, callMessage('tools_prices', {}), callMessage('uploads_create', {}), 'no JSON'];
  for (const [index, message] of messages.entries()) {
    const { headers } = await mcp(message, from);
    expect(headers.get('ratelimit-policy')).toBe(`"free-calls";q=${calls};w=10`);
    expect(headers.get('ratelimit')).toContain(`r=${calls - 1 - index};`);
  }
  await useUp(from);
  for (const message of messages) {
    const refused = await mcp(message, from);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit')).toMatch(/^"free-calls";r=0;t=\d+$/);
    const { jsonrpc, error } = await refused.json();
    expect([jsonrpc, error.data]).toMatchObject([
      '2.0',
      { code: 'rate_limited', payment: 'none', retry: 'later' },
    ]);
  }
  expect((await mcp(ping, fromAnywhere())).status).toBe(200);
});

test('a tool call that pays is served to an address over its limit', async () => {
  const from = fromAnywhere();
  const wallet = await newEvmPayer();
  const { announcement } = aFile();
  const client = await connectMcp(server.apiUrl);
  const payment = await paymentFor(client, 'uploads_create', announcement, wallet, 'base');
  await client.close();
  await useUp(from);
  const paid = await mcp(callMessage('uploads_create', announcement, paidBy(payment)), from);
  expect(paid.status).toBe(200);
  expect(paid.headers.get('ratelimit')).toBeNull();
  expect((await paid.json()).result.structuredContent).toMatchObject({ uploadMethod: 'PUT' });
  expect(await balanceOf(wallet, 'base')).toBe(9_995_000n);
});

test('an address that guesses tokens at /mcp is refused there and everywhere', async () => {
  const from = fromAnywhere();
  const guess = (index: number) =>
    mcp(callMessage('account_get', {}), { ...from, Authorization: `Bearer tpt_${index}` });
  for (let index = 0; index < tokens; index += 1) expect((await guess(index)).status).toBe(401);
  const refused = await guess(tokens);
  expect([refused.status, refused.headers.get('ratelimit')]).toEqual([
    429,
    expect.stringMatching(/^"wrong-tokens";r=0;t=\d+$/),
  ]);
  expect((await refused.json()).error.data.code).toBe('rate_limited');
  const overHttp = await get('/v1/account', { ...from, Authorization: 'Bearer tpt_x' });
  await expectError(overHttp, 'rate_limited', server.apiUrl);
});
