import { get } from 'node:http';
import { expect, test } from '@playwright/test';
import { unchargedWorkBudgets } from '@/lib/catalog/uncharged-work';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { sql } from '../support/database';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { buyForm } from '../support/forms';
import { newEvmPayer } from '../support/payers';
import { startServer, type TestServer } from '../support/server';
import { stack } from '../support/stack';
import { buySlot, putFile } from '../support/uploads';

/** 0.0001 GiB. */
const bytesMax = 107_374;

let server: TestServer;
test.beforeAll(async () => {
  const limits = {
    LINK_DOWNLOADS_PER_DAY: '3',
    LINK_GIB_PER_DAY: '0.0001',
    FORM_WAITS_MAX: '1',
    UNCHARGED_WORK_FACTOR: '0.5',
  };
  const settings = { DATABASE_POOL: '5', WORKER: 'separate', ...limits };
  server = await startServer({ ...stack().serverEnv, ...settings });
});
test.afterAll(() => server?.stop());

/** A new file of this size, and its link on the server of these tests. */
async function aLink(size: number): Promise<{ id: string; url: string }> {
  const file = aFile(size);
  const slot = await buySlot(await newEvmPayer(), 'base', file);
  expect((await putFile(slot, file.bytes)).status).toBe(200);
  return { id: slot.id, url: `${server.filesUrl}${new URL(slot.publicUrl).pathname}` };
}

/** Downloads the whole file, or the parts that the headers name. */
async function download(url: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(url, { headers });
  await response.clone().arrayBuffer();
  return response;
}

const leftIn = (response: Response) =>
  [...(response.headers.get('ratelimit') ?? '').matchAll(/r=(\d+)/g)].map(([, left]) => Number(left));

const written = async (id: string, day = 'CURRENT_DATE') =>
  (
    await sql<{ downloads: number; bytes: number }>(
      `SELECT downloads, bytes::integer AS bytes FROM link_traffic WHERE upload_id = $1 AND day = ${day}`,
      [id],
    )
  )[0];

test('every download says what is left of the limits of its link, and for how long', async () => {
  const { url } = await aLink(1_000);
  const first = await download(url);
  expect(first.headers.get('ratelimit-policy')).toBe(
    `"link-downloads";q=3;w=86400, "link-bytes";q=${bytesMax};w=86400;qu="content-bytes"`,
  );
  expect(first.headers.get('ratelimit')).toMatch(/^"link-downloads";r=2;t=\d+, "link-bytes";r=\d+;t=\d+$/);
  expect(leftIn(first)).toEqual([2, bytesMax - 1_000]);
  expect(first.headers.get('access-control-expose-headers')).toContain('RateLimit-Policy');
});

test('a link is downloaded as often as its limit allows, and parts without the first byte are no downloads', async () => {
  const { url } = await aLink(1_000);
  const whole = await download(url);
  expect((await download(url, { Range: 'bytes=0-9' })).status).toBe(206);
  const rest = await download(url, { Range: 'bytes=10-' });
  expect(leftIn(rest)).toEqual([1, bytesMax - 2_000]);
  const head = await fetch(url, { method: 'HEAD' });
  expect([head.status, leftIn(head)]).toEqual([200, [1, bytesMax - 2_000]]);
  expect((await download(url)).status).toBe(200);

  const refused = await download(url);
  expect(refused.status).toBe(429);
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(86_400);
  expect(refused.headers.get('ratelimit')).toMatch(new RegExp(`^"link-downloads";r=0;t=${seconds}, `));
  await expectError(refused, 'download_limit', server.apiUrl);
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(429);
  // A client that already has the file may still ask whether it has changed.
  const etag = whole.headers.get('etag') ?? '';
  expect((await fetch(url, { headers: { 'If-None-Match': etag } })).status).toBe(304);
});

test('a link sends as many bytes as its limit allows', async () => {
  const { url } = await aLink(60_000);
  expect(leftIn(await download(url))).toEqual([2, bytesMax - 60_000]);
  expect(leftIn(await download(url, { Range: 'bytes=100-599' }))).toEqual([2, bytesMax - 60_500]);
  expect(leftIn(await download(url))).toEqual([1, 0]);
  await expectError(await download(url, { Range: 'bytes=100-199' }), 'download_limit', server.apiUrl);
});

test('processes count together: each reads what the others have written, and writes what it counts', async () => {
  const { id, url } = await aLink(1_000);
  const other =
    'INSERT INTO link_traffic (upload_id, day, downloads, bytes) VALUES ($1, CURRENT_DATE - $2::integer, $3, 0)';
  await sql(other, [id, 1, 3]);
  await sql(other, [id, 0, 1]);
  expect(leftIn(await download(url))[0]).toBe(1);
  await expect.poll(async () => (await written(id))?.downloads).toBe(2);
  await sql('UPDATE link_traffic SET downloads = 3 WHERE upload_id = $1', [id]);
  await expectError(await download(url), 'download_limit', server.apiUrl);
});

test('a person who opens a link that is at its limit gets a page, and so does one whose link is over', async ({
  page,
}) => {
  const { id, url } = await aLink(100);
  await sql('INSERT INTO link_traffic (upload_id, day, downloads, bytes) VALUES ($1, CURRENT_DATE, 3, 0)', [
    id,
  ]);
  const refused = await page.goto(url);
  expect(refused?.status()).toBe(429);
  expect(refused?.headers()['content-security-policy']).toMatch(
    /^sandbox; default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; font-src data:$/,
  );
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'This file has reached its limit for today',
  );
  expect(await page.evaluate('getComputedStyle(document.body).margin')).toBe('0px');
  await expect(page.getByRole('main')).toContainText('Try again after midnight UTC.');
  await sql('UPDATE upload SET deleted_at = now() WHERE id = $1', [id]);
  expect((await page.goto(url))?.status()).toBe(410);
  await expect(page.getByRole('main')).toContainText('was deleted. Ask the sender for a new link.');
  await sql("UPDATE upload SET expires_at = '2026-03-09T12:00:00Z' WHERE id = $1", [id]);
  const gone = await page.goto(url);
  await expect(page.getByRole('main')).toContainText('expired on March 9, 2026.');
  await expect(page.getByRole('main')).toContainText(`Request ID: ${gone?.headers()['request-id']}`);
  await expect(page.getByRole('link', { name: 'Report abuse' })).toBeVisible();
});

test('documents tell the limits that the operator has set', async () => {
  const sentence = 'The public link can be downloaded 3 times and used for 0.0001 GiB a day (UTC).';
  const { paths } = await (await fetch(`${server.apiUrl}/files/openapi.json`)).json();
  expect(paths['/v1/uploads'].post.description).toContain(sentence);
  expect(paths['/v1/uploads/{id}/renew'].post.description).not.toContain('GiB');
  expect(await (await fetch(`${server.apiUrl}/llms.txt`)).text()).toContain(sentence);
});

/** Sends a request on its own connection, so that it does not end along with another request. */
function askAlone(url: string, headers: Record<string, string>) {
  const sent = get(url, { headers, agent: false });
  const answer = new Promise<{ status: number | undefined; retryAfter: string | undefined }>(
    (resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', (response) => {
        response.resume();
        resolve({ status: response.statusCode, retryAfter: response.headers['retry-after'] });
      });
    },
  );
  return { sent, answer };
}

test('a request that would wait where another already waits is answered at once with Retry-After', async () => {
  const form = await buyForm({ title: 'Waits', questions: [{ type: 'text', label: 'Anything?' }] });
  const url = `${server.apiUrl}${new URL(form.responsesUrl).pathname}?wait=60`;
  const headers = { Authorization: `Bearer ${form.readToken}` };
  const asked = [askAlone(url, headers), askAlone(url, headers)];
  const early = await Promise.race(asked.map(({ answer }) => answer));
  expect(early).toEqual({ status: 200, retryAfter: '5' });
  const unhurried = await askAlone(url.replace('wait=60', 'wait=0'), headers).answer;
  expect(unhurried).toEqual({ status: 200, retryAfter: undefined });
  for (const { sent, answer } of asked) {
    answer.catch(() => undefined);
    sent.destroy();
  }
});

test('a payer may cause as much uncharged work as the factor allows, and is told the limit', async () => {
  const wallet = await newEvmPayer();
  const url = `${server.apiUrl}/v1/flights/offers/off_0000AbCdEfGhIjKlMnOpQr`;
  const budget = unchargedWorkBudgets.lookup.payer / 2;
  await sql('INSERT INTO attempt (key, since, attempts) VALUES ($1, now(), $2)', [
    `uncharged:lookup:payer:${wallet.address}`,
    budget,
  ]);
  const headers = paymentHeader(await envelopeFor(url, wallet, 'base', 'GET'));
  const refused = await fetch(url, { headers });
  expect(refused.headers.get('ratelimit-policy')).toBe(`"uncharged-lookups";q=${budget};w=3600`);
  expect(refused.headers.get('ratelimit')).toBe(
    `"uncharged-lookups";r=0;t=${refused.headers.get('retry-after')}`,
  );
  await expectError(refused, 'uncharged_work_limit', server.apiUrl);
});
