import { createHmac, randomInt } from 'node:crypto';
import { unchargedWorkBudgets } from '@/lib/catalog/uncharged-work';
import { bomb } from '../render/bomb';
import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { callsOf, sql } from '../support/database';
import { expectError, startAtomic } from '../support/expectations';
import { newEvmPayer } from '../support/payers';
import { minimalHtml } from '../support/pdf';
import { startServer, type TestServer } from '../support/server';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

test.describe.configure({ mode: 'serial' });

const on = 'base';
type Wallet = Awaited<ReturnType<typeof newEvmPayer>>;

let server: TestServer;
test.beforeAll(async () => {
  const { FIRECRAWL_API_KEY: _, ...settings } = stack().serverEnv;
  server = await startServer({
    ...settings,
    DATABASE_POOL: '10',
    TRUSTED_PROXIES: '1',
    RENDER_BROWSERS: '2',
  });
});
test.afterAll(() => server?.stop());

const newWallet = () => newEvmPayer(startAtomic, [on]);
/** An address from the documentation range that, most likely, no other test uses. */
const newAddress = () => `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(65_536).toString(16)}::1`;

/** Signs a payment for a path, and sends it as often as needed. */
async function signed(wallet: Wallet, path: string, body: object | null, address = newAddress()) {
  const url = `${server.apiUrl}${path}`;
  const method = body ? 'POST' : 'GET';
  const payment = paymentHeader(await envelopeFor(url, wallet, on, method));
  const headers = { ...payment, 'X-Forwarded-For': address };
  return () => fetch(url, { method, headers, body: body && JSON.stringify(body) });
}
const pdf = (wallet: Wallet, html: string, address?: string) =>
  signed(wallet, '/v1/render/pdf', { html }, address);
const offer = (wallet: Wallet, id: string, address?: string) =>
  signed(wallet, `/v1/flights/offers/${id}`, null, address);
const send = async (request: Promise<() => Promise<Response>>) => (await request)();

/**
 * Retries as long as the renderer asks to come back later: on a slow machine, ten documents may take longer than one request
 * waits.
 */
async function askUntilThereIsRoom(request: () => Promise<Response>): Promise<Response> {
  for (const deadline = Date.now() + 30_000; ; ) {
    const answer = await request();
    if (answer.status !== 503 || Date.now() > deadline) return answer;
    await expectError(answer, 'renderer_busy', server.apiUrl);
  }
}

/** The uncharged work counted under keys that begin with this text. */
const counted = (key: string) =>
  sql<{ attempts: number }>(
    'SELECT sum(attempts)::integer AS attempts FROM attempt WHERE key LIKE $1 HAVING count(*) > 0',
    [`${key}%`],
  );
const ofPayer = (kind: string, { address }: Wallet) => `uncharged:${kind}:payer:${address}`;
/** Addresses are counted by network, under a hash with a daily salt. */
async function keyOfAddress(kind: string, address: string): Promise<string> {
  const [row] = await sql<{ salt: Buffer }>('SELECT salt FROM address_salt ORDER BY day DESC LIMIT 1');
  const network = address.split(':').slice(0, 4).join(':');
  const hash = createHmac('sha256', row?.salt ?? '')
    .update(network)
    .digest('base64url');
  return `uncharged:${kind}:address:${hash}`;
}
/** Records that a payer caused this much work some minutes ago. */
const count = (key: string, amount: number, minutesAgo: number) =>
  sql("INSERT INTO attempt (key, since, attempts) VALUES ($1, now() - $3 * interval '1 minute', $2)", [
    key,
    amount,
    minutesAgo,
  ]);

let attacker: Promise<Wallet>;
let hostile: Promise<Response[]>;

test('twelve endless documents of one wallet delay none of ten honest ones', async () => {
  expect((await send(pdf(await newWallet(), minimalHtml))).status, 'the browsers are warm').toBe(200);
  attacker = newWallet();
  const wallet = await attacker;
  const bombs = await Promise.all(Array.from({ length: 12 }, () => pdf(wallet, bomb)));
  const honest = await Promise.all(
    Array.from({ length: 10 }, async () => pdf(await newWallet(), minimalHtml)),
  );
  hostile = Promise.all(bombs.map((request) => request()));
  await expect.poll(() => callsOf(wallet.address)).toBeGreaterThanOrEqual(2);
  const answers = await Promise.all(honest.map(askUntilThereIsRoom));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
});

test('a bought document uses no budget; one that turns out too long uses its rendering time', async () => {
  const wallet = await newWallet();
  expect((await send(pdf(wallet, minimalHtml))).status).toBe(200);
  expect(await counted(ofPayer('browser', wallet))).toEqual([]);
  await expectError(
    await send(pdf(wallet, '<p style="break-after:page">x</p>'.repeat(21))),
    'output_too_large',
    server.apiUrl,
  );
  const [used] = await counted(ofPayer('browser', wallet));
  expect(used?.attempts).toBeGreaterThan(0);
});

test('a wallet over its budget gets Retry-After, with nothing claimed and its payment still valid', async () => {
  const wallet = await newWallet();
  const key = ofPayer('browser', wallet);
  await count(key, unchargedWorkBudgets.browser.payer, 20);
  const request = await pdf(wallet, minimalHtml);
  const refused = await request();
  const error = await expectError(refused.clone(), 'uncharged_work_limit', server.apiUrl);
  expect(refused.status).toBe(429);
  expect(error).toMatchObject({ payment: 'none', retry: 'later' });
  expect(error.paidCallId).toBeUndefined();
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(39 * 60);
  expect(seconds).toBeLessThanOrEqual(40 * 60);
  expect(refused.headers.get('ratelimit-policy')).toBe('"uncharged-browser-seconds";q=60;w=3600');
  expect(await callsOf(wallet.address)).toBe(0);
  const page = signed(wallet, '/v1/crawl/scrape', { url: 'http://nowhere.invalid.example.com/' });
  await expectError(await send(page), 'uncharged_work_limit', server.apiUrl);
  expect((await send(pdf(await newWallet(), minimalHtml))).status, 'another wallet').toBe(200);
  await sql("UPDATE attempt SET since = now() - interval '61 minutes' WHERE key = $1", [key]);
  expect((await request()).status, 'the same payment, an hour later').toBe(200);
});

test('a charged call gives back budget that failed calls have used', async () => {
  const wallet = await newWallet();
  const key = ofPayer('browser', wallet);
  const { returned } = unchargedWorkBudgets.browser;
  await count(key, returned + 5_000, 0);
  expect((await send(pdf(wallet, minimalHtml))).status).toBe(200);
  expect(await counted(key)).toEqual([{ attempts: 5_000 }]);
  expect((await send(pdf(wallet, minimalHtml))).status).toBe(200);
  expect(await counted(key)).toEqual([{ attempts: 0 }]);
});

test('a page that cannot be read uses its browser time', async () => {
  const wallet = await newWallet();
  const page = signed(wallet, '/v1/crawl/scrape', { url: 'http://nowhere.invalid.example.com/' });
  await expectError(await send(page), 'page_unreachable', server.apiUrl);
  const [used] = await counted(ofPayer('browser', wallet));
  expect(used?.attempts).toBeGreaterThan(0);
});

test('unknown offers can be requested sixty times an hour; after that the provider is not called', async () => {
  const wallet = await newWallet();
  const address = newAddress();
  const { payer } = unchargedWorkBudgets.lookup;
  // All at once, some would be turned away because one wallet would have too many waiting.
  for (let at = 0; at < payer; at += 10) {
    const some = await Promise.all(
      Array.from({ length: 10 }, () => send(offer(wallet, 'off_0000Nobody', address))),
    );
    expect(some.map(({ status }) => status)).toEqual(Array(10).fill(404));
  }
  const refused = await send(offer(wallet, 'off_0000Nobody', address));
  await expectError(refused.clone(), 'uncharged_work_limit', server.apiUrl);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(49 * 60);
  expect(await callsOf(wallet.address)).toBe(payer);
  expect(await counted(ofPayer('lookup', wallet))).toEqual([{ attempts: payer }]);
});

test('wallets that were never charged share a budget per address; wallets charged before do not', async () => {
  const [busy, quiet] = [newAddress(), newAddress()];
  await expectError(
    await send(offer(await newWallet(), 'off_0000Nobody', busy)),
    'offer_not_found',
    server.apiUrl,
  );
  const key = await keyOfAddress('lookup', busy);
  expect(await counted(key)).toEqual([{ attempts: 1 }]);
  await sql('UPDATE attempt SET attempts = $2 WHERE key = $1', [key, unchargedWorkBudgets.lookup.address]);
  const lookUp = async (wallet: Wallet, address: string) => send(offer(wallet, 'off_0000Nobody', address));
  await expectError(await lookUp(await newWallet(), busy), 'uncharged_work_limit', server.apiUrl);
  await expectError(await lookUp(await newWallet(), quiet), 'offer_not_found', server.apiUrl);
  const customer = await newWallet();
  expect((await send(pdf(customer, minimalHtml, quiet))).status).toBe(200);
  await expectError(await lookUp(customer, busy), 'offer_not_found', server.apiUrl);
});

test('the twelve documents cost nothing; rendering time counts, but not waiting or revoked time', async () => {
  const wallet = await attacker;
  const codes = await Promise.all((await hostile).map(async (answer) => (await answer.json()).error.code));
  expect([...new Set(codes)].sort()).toEqual(['render_failed', 'renderer_busy']);
  expect(await balanceOf(wallet, on)).toBe(startAtomic);
  const failed = codes.filter((code) => code === 'render_failed').length;
  const [used] = await counted(ofPayer('browser', wallet));
  expect(used?.attempts).toBeGreaterThan(1_000);
  expect(used?.attempts).toBeLessThan(failed * 17_000);
});
