import { type ClientRequest, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { rateLimits } from '@/lib/catalog/rate-limits';
import { accountWith, fromAnywhere } from '../support/accounts';
import { balanceOf } from '../support/balances';
import { enterToken, operatorToken } from '../support/console';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { buyForm } from '../support/forms';
import { expectLogged } from '../support/logged';
import { callMessage, connectMcp, paidBy, paymentFor, postMcp } from '../support/mcp';
import { newEvmPayer } from '../support/payers';
import { startServer, type TestServer } from '../support/server';
import { stack } from '../support/stack';
import { byTheFramework, isStartedByNext } from '../support/started-by';
import { expect, test } from '../support/without-browser';

/** A small factor on the real limits, so that few calls use them up. */
const factor = 0.05;
const calls = rateLimits.freeCalls.quota * factor;
const tokens = Math.round(rateLimits.wrongTokens.quota * factor);

const cronSecret = 'a-secret-of-the-scheduler';

let server: TestServer;
test.beforeAll(async () => {
  const settings = {
    TRUSTED_PROXIES: '1',
    DATABASE_POOL: '5',
    WORKER: 'separate',
    CRON_SECRET: cronSecret,
  };
  server = await startServer({ ...stack().serverEnv, ...settings, RATE_LIMIT_FACTOR: String(factor) });
});
test.afterAll(() => server?.stop());

type From = Record<string, string>;
const get = (path: string, headers: From) => fetch(`${server.apiUrl}${path}`, { headers });
const post = (path: string, headers: From, body: string) =>
  fetch(`${server.apiUrl}${path}`, { method: 'POST', headers, body });

/** Uses up all free calls of an address. */
async function exhaust(from: From): Promise<Response[]> {
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
  expect((await exhaust(from)).map(({ status }) => status)).toEqual(Array(calls).fill(200));
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
  await exhaust({ 'X-Forwarded-For': `${network}::1` });
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
  await exhaust(from);
  expect((await post('/v1/uploads', from, '')).status).toBe(402);
  expect((await get('/health', from)).status).toBe(200);
});

test('pages of forms count like free calls', async () => {
  const from = fromAnywhere();
  const { headers } = await get('/f/fm_1', from);
  expect(headers.get('ratelimit')).toContain(`r=${calls - 1};`);
  await exhaust(from);
  expect((await get('/f/fm_1', from)).status).toBe(429);
});

test('requests for paths that do not exist count like free calls, with every method', async () => {
  for (const path of [
    '/no-such-page',
    '/docs/no-such-page',
    '/v1/no-such-call',
    // The framework redirects it before it asks a route.
    ...(isStartedByNext ? [] : ['/no-such-page/']),
    '/%6eothing',
  ]) {
    const send = (method: string, headers: From) =>
      fetch(`${server.apiUrl}${path}`, { method, headers, redirect: 'manual' });
    // The framework takes a while to answer its first request.
    await send('GET', fromAnywhere());
    const from = fromAnywhere();
    await Promise.all([send('GET', from), send('POST', from)]);
    expect((await get('/v1/tools/prices', from)).headers.get('ratelimit'), path).toContain(`r=${calls - 3};`);
    await exhaust(from);
    await expectError(await get(path, { ...from, Accept: 'text/html' }), 'rate_limited', server.apiUrl);
  }
  const document = await get('/llms.txt', fromAnywhere());
  expect([document.status, document.headers.get('ratelimit')]).toEqual([200, null]);
});

test('a large body of a refused request is not read: the client gets its response, and the connection is closed', async () => {
  test.skip(isStartedByNext, byTheFramework);
  const from = fromAnywhere();
  await exhaust(from);
  for (const path of ['/receipts', '/no-such-page', '/v1/tools/check']) {
    const { hostname, port } = new URL(server.apiUrl);
    const socket = connect(Number(port), hostname);
    const bytes = 64 * 1_048_576;
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Forwarded-For: ${from['X-Forwarded-For']}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
    );
    let taken = 0;
    const part = Buffer.alloc(65_536, 'x');
    const send = () => {
      while (taken < bytes && socket.writable) {
        taken += part.length;
        if (!socket.write(part)) return;
      }
    };
    socket.on('drain', send);
    socket.on('error', () => undefined);
    send();
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    await new Promise((resolve) => socket.once('close', resolve));
    expect(answer, path).toMatch(/^HTTP\/1.1 429 /);
    expect(answer.toLowerCase(), path).toContain('connection: close');
    expect(answer, path).toContain('"code":"rate_limited"');
    expect(taken - socket.writableLength, path).toBeLessThan(bytes / 2);
  }
});

test('an address that guesses tokens is refused from then on, whichever wrong token it sends', async () => {
  const from = fromAnywhere();
  const wrong = (index: number) => ({ ...from, Authorization: `Bearer tpt_${index}` });
  for (let index = 0; index < tokens; index += 1) {
    await expectError(await get('/v1/account', wrong(index)), 'account_token_wrong', server.apiUrl);
  }
  const refused = await get('/v1/account', wrong(tokens));
  expect(refused.headers.get('ratelimit')).toMatch(/^"wrong-tokens";r=0;t=\d+$/);
  await expectError(refused, 'rate_limited', server.apiUrl);
  const paid = await post('/v1/account/airports/search', wrong(tokens + 1), '{"query":"LHR"}');
  expect(paid.headers.get('ratelimit')).toMatch(/^"wrong-tokens";r=0;t=\d+$/);
  await expectError(paid, 'rate_limited', server.apiUrl);
});

/** Sends wrong tokens from an address until they are refused. */
async function guessTokens(from: From): Promise<void> {
  const wrong = { ...from, Authorization: 'Bearer tpt_wrong' };
  for (let index = 0; index < tokens; index += 1)
    expect((await post('/v1/account/airports/search', wrong, '{"query":"LHR"}')).status).toBe(401);
  expect((await post('/v1/account/airports/search', wrong, '{"query":"LHR"}')).status).toBe(429);
}

test('a right token that the server has never seen is accepted from an address that has guessed many', async () => {
  const { accountId, token } = await accountWith('1');
  const right = { Authorization: `Bearer ${token}` };
  const key = { 'Idempotency-Key': `http-${accountId}` };

  await test.step('by paid calls, free calls and /mcp', async () => {
    const from = fromAnywhere();
    await guessTokens(from);
    const paid = await post('/v1/account/airports/search', { ...from, ...right, ...key }, '{"query":"LHR"}');
    expect(paid.status).toBe(200);
    expect((await get('/v1/account', { ...from, ...right })).status).toBe(200);
    expect((await mcp(callMessage('account_get', {}), { ...from, ...right })).status).toBe(200);
  });
  await test.step('by paid tools', async () => {
    const from = fromAnywhere();
    await guessTokens(from);
    const search = callMessage('airports_search', { query: 'LHR', idempotencyKey: `mcp-${accountId}` });
    expect((await mcp(search, { ...from, ...right })).status).toBe(200);
  });
  await test.step('by forms', async () => {
    const from = fromAnywhere();
    const form = await buyForm();
    await guessTokens(from);
    const responses = `/v1/forms/${form.id}/responses`;
    expect((await get(responses, { ...from, Authorization: 'Bearer wrong' })).status).toBe(429);
    expect((await get(responses, { ...from, Authorization: `Bearer ${form.readToken}` })).status).toBe(200);
  });
});

for (const [path, right] of [
  ['/metrics', operatorToken],
  ['/internal/cron', () => cronSecret],
] as const) {
  test(`wrong tokens for ${path} are refused there and at the console and logged; the right one is always accepted`, async () => {
    const from = fromAnywhere();
    const ask = (token: string) => get(path, { ...from, Authorization: `Bearer ${token}` });
    await test.step('a request without a token is no guess', async () => {
      for (let index = 0; index <= tokens; index += 1)
        await expectError(await get(path, from), 'unauthorized', server.apiUrl);
    });
    for (let index = 0; index < tokens; index += 1)
      await expectError(await ask(`guess ${index}`), 'unauthorized', server.apiUrl);
    await expectLogged(
      server,
      new RegExp(`"address":"${from['X-Forwarded-For']}".*a wrong token was sent to ${path}`),
    );
    const refused = await ask('guess');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit')).toMatch(/^"wrong-tokens";r=0;t=\d+$/);
    await expectError(refused, 'rate_limited', server.apiUrl);
    expect((await enterToken('guess', { headers: from }, server)).status).toBe(429);
    expect((await ask(right())).status).toBe(200);
    expect((await enterToken(operatorToken(), { headers: from }, server)).status).toBe(303);
    await expectError(await ask('guess'), 'rate_limited', server.apiUrl);
  });
}

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
  await exhaust(from);
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

const junk = Buffer.from('{"x402Version":2}').toString('base64');

test('a call with a credential that cannot pay counts like a free call, over HTTP and at /mcp', async () => {
  const from = fromAnywhere();
  const counted = async (answer: Promise<Response>, left: number, status: number) => {
    expect((await answer).status).toBe(status);
    expect((await get('/v1/tools/prices', from)).headers.get('ratelimit')).toContain(`r=${left - 1};`);
  };
  await counted(post('/v1/uploads', { ...from, 'PAYMENT-SIGNATURE': junk }, '{}'), calls - 1, 402);
  await counted(post('/v1/mpp/uploads', { ...from, Authorization: 'Payment e30' }, '{}'), calls - 3, 402);
  const madeUp = callMessage('uploads_create', {}, { 'x402/payment': { x402Version: 2 } });
  await counted(mcp(madeUp, from), calls - 5, 200);
  await exhaust(from);
  const refused = await post('/v1/uploads', { ...from, 'PAYMENT-SIGNATURE': junk }, '{}');
  expect(refused.headers.get('ratelimit')).toMatch(/^"free-calls";r=0;t=\d+$/);
  await expectError(refused, 'rate_limited', server.apiUrl);
  const message = await mcp(madeUp, from);
  expect([message.status, message.headers.get('ratelimit')]).toEqual([
    429,
    expect.stringMatching(/^"free-calls";r=0;t=\d+$/),
  ]);
  expect((await message.json()).error.data).toMatchObject({ code: 'rate_limited', payment: 'none' });
});

test('a tool call that pays is served to an address over its limit', async () => {
  const from = fromAnywhere();
  const wallet = await newEvmPayer();
  const { announcement } = aFile();
  const client = await connectMcp(server.apiUrl);
  const payment = await paymentFor(client, 'uploads_create', announcement, wallet, 'base');
  await client.close();
  await exhaust(from);
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

interface Begun {
  readonly sent: ClientRequest;
  readonly answer: Promise<{ status: number }>;
}

/** Sends the head of a POST. The test sends the body. */
function begin(path: string, headers: From): Begun {
  const sent = httpRequest(`${server.apiUrl}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    agent: false,
  });
  const answer = new Promise<{ status: number }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0 });
    });
  });
  sent.flushHeaders();
  return { sent, answer };
}

test('a large message of an address over its limit to /mcp is refused without waiting for its body', async () => {
  const from = fromAnywhere();
  await exhaust(from);
  const announced = begin('/mcp', { ...from, 'Content-Length': '6000000' });
  expect(await announced.answer).toMatchObject({ status: 429 });
  announced.sent.destroy();
  const unannounced = begin('/mcp', { ...from, 'Transfer-Encoding': 'chunked' });
  unannounced.sent.write('x'.repeat(100_000));
  expect(await unannounced.answer).toMatchObject({ status: 429 });
  unannounced.sent.destroy();
});

test('one address may have 60 MB of large bodies under way, and is told when to send a further one', async () => {
  test.skip(isStartedByNext, byTheFramework);
  const from = fromAnywhere();
  const path = '/v1/mpp/forms';
  const large = { ...from, 'Content-Length': '1048576', Expect: '100-continue' };
  const begun: ClientRequest[] = [];
  /** 100 when the server asks for the body; otherwise the status that it answers with. */
  const statusFor = (headers: From) => {
    const { sent, answer } = begin(path, headers);
    begun.push(sent);
    const invited = new Promise<number>((resolve) => sent.once('continue', () => resolve(100)));
    return Promise.race([invited, answer.then(({ status }) => status)]);
  };
  for (let index = 0; index < 60; index += 1) expect(await statusFor(large)).toBe(100);
  expect(await statusFor(large)).toBe(503);
  // An identical request may have been paid for before.
  const paying = begin(path, { ...large, Authorization: 'Payment e30' });
  begun.push(paying.sent);
  const text = new Promise<Buffer>((resolve) => {
    paying.sent.once('response', (response) => response.once('data', resolve));
  });
  const { error } = JSON.parse(String(await text));
  expect(error).toMatchObject({ code: 'ledger_unavailable', payment: 'unknown', retry: 'same_request' });
  expect((await post(path, from, '')).status, 'a small body').toBe(402);
  expect(await statusFor({ ...large, ...fromAnywhere() }), 'another address').toBe(100);
  for (const sent of begun) sent.destroy();
  await expect
    .poll(async () => (await post(path, from, 'x'.repeat(100_000))).status, 'after they have ended')
    .toBe(402);
});

test('a body without a length counts as the largest among those under way', async () => {
  test.skip(isStartedByNext, byTheFramework);
  const from = fromAnywhere();
  const chunked = { ...from, 'Transfer-Encoding': 'chunked' };
  const begun = Array.from({ length: 11 }, () => begin('/v1/mpp/forms', chunked));
  // One of them is refused, whichever arrives last.
  expect(await Promise.race(begun.map(({ answer }) => answer))).toMatchObject({ status: 503 });
  for (const { sent, answer } of begun) {
    answer.catch(() => undefined);
    sent.destroy();
  }
  await expect
    .poll(
      async () => (await post('/v1/mpp/forms', from, 'x'.repeat(100_000))).status,
      'after they have ended',
    )
    .toBe(402);
});

test('a message to /mcp counts by its size, whether or not it announces it', async () => {
  for (const [bytes, counted] of [
    [1_000, 1],
    [3 * 65_536, 4],
  ] as const) {
    const padded = JSON.stringify(ping).padEnd(bytes);
    const lengths: From[] = [{ 'Content-Length': String(bytes) }, { 'Transfer-Encoding': 'chunked' }];
    for (const length of lengths) {
      const from = fromAnywhere();
      const { sent, answer } = begin('/mcp', { ...from, ...length });
      sent.end(padded);
      expect((await answer).status).toBe(200);
      const { headers } = await mcp(ping, from);
      expect(headers.get('ratelimit'), JSON.stringify(length)).toContain(`r=${calls - counted - 1};`);
    }
  }
});
