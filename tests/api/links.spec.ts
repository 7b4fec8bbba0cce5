import { createHash, hkdfSync } from 'node:crypto';
import { uploadAddress } from '@/lib/platform/storage/upload-address';
import { payingFetch } from '../support/buyer';
import { sql } from '../support/database';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { newEvmPayer } from '../support/payers';
import { sendRaw } from '../support/raw';
import { stack } from '../support/stack';
import { buySlot, putFile, type Slot, uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

type Bytes = Uint8Array<ArrayBuffer>;

async function aSlot(file = aFile()): Promise<{ slot: Slot; bytes: Bytes }> {
  return { slot: await buySlot(await newEvmPayer(), 'base', file), bytes: file.bytes };
}

async function aLink(file = aFile()): Promise<{ slot: Slot; bytes: Bytes; url: string }> {
  const { slot, bytes } = await aSlot(file);
  expect((await putFile(slot, bytes)).status).toBe(200);
  return { slot, bytes, url: slot.publicUrl };
}

function put(slot: Slot, headers: Record<string, string>, body: Bytes): Promise<Response> {
  return fetch(slot.uploadUrl, { method: 'PUT', headers, body });
}

for (const name of ['content-type', 'x-amz-checksum-sha256', 'x-amz-meta-sha256']) {
  test(`a PUT without ${name} stores nothing and says that it is required`, async () => {
    const { slot, bytes } = await aSlot();
    const headers = Object.fromEntries(Object.entries(slot.uploadHeaders).filter(([one]) => one !== name));
    const error = await expectError(await put(slot, headers, bytes), 'upload_mismatch');
    expect(error.issues).toEqual([{ path: name, rule: 'is required' }]);
    expect((await fetch(slot.publicUrl)).status).toBe(404);
  });
}

test('the content type of a PUT may differ in letter case and spaces', async () => {
  const { slot, bytes } = await aSlot(aFile(32, 'a.txt', 'text/plain; charset=utf-8'));
  const headers = { ...slot.uploadHeaders, 'content-type': 'Text/Plain;charset=UTF-8' };
  expect((await put(slot, headers, bytes)).status).toBe(200);
});

test('a PUT of another file after the first gets 409 and changes nothing', async () => {
  const { slot, bytes, url } = await aLink();
  const other = bytes.map((byte) => byte ^ 255);
  await expectError(await putFile(slot, other), 'upload_complete');
  const headers = { ...slot.uploadHeaders, 'content-type': 'text/html' };
  await expectError(await put(slot, headers, bytes), 'upload_complete');
  expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes)).toBe(true);
});

test('a PUT to an expired upload URL gets 410 and stores nothing', async () => {
  const file = aFile();
  const { slot, bytes } = await aSlot(file);
  const key = hkdfSync(
    'sha256',
    Buffer.from(stack().serverEnv.DATA_KEY ?? '', 'base64'),
    '',
    'tuppence upload-address',
    32,
  );
  const { mime, sha256, size } = file.announcement;
  const grant = { key: `uploads/${slot.id}`, mime, sha256, sizeBytes: size };
  const urlAt = (expiresAt: Date) =>
    uploadAddress(stack().filesUrl, { ...grant, expiresAt }, [Buffer.from(key)]);
  // The slot's own address is built in the same way, so only the time makes the service refuse the late one.
  expect(urlAt(new Date(slot.uploadUrlExpiresAt))).toBe(slot.uploadUrl);
  const late = { ...slot, uploadUrl: urlAt(new Date(Date.now() - 1_000)) };
  await expectError(await putFile(late, bytes), 'upload_url_expired');
  expect((await fetch(slot.publicUrl)).status).toBe(404);
});

test('a PUT to an expired upload gets 410', async () => {
  const { slot, bytes } = await aSlot();
  await sql(`UPDATE upload SET expires_at = now() - interval '1 second' WHERE id = $1`, [slot.id]);
  await expectError(await putFile(slot, bytes), 'upload_url_expired');
  expect((await fetch(slot.publicUrl)).status).toBe(410);
});

for (const search of [
  '',
  '?expires=1',
  '?signature=x',
  '?expires=99999999999999&signature=x',
  '?expires=-1',
]) {
  test(`an upload URL that ends in "${search}" is refused`, async () => {
    const { slot, bytes } = await aSlot();
    const uploadUrl = slot.uploadUrl.replace(/\?.*/, search);
    await expectError(await putFile({ ...slot, uploadUrl }, bytes), 'upload_url_invalid');
    expect((await fetch(slot.publicUrl)).status).toBe(404);
  });
}

for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
  test(`${method} is not allowed on an upload URL`, async () => {
    const { slot } = await aLink();
    await expectError(await fetch(slot.uploadUrl, { method }), 'method_not_allowed');
    expect((await fetch(slot.publicUrl)).status).toBe(200);
  });
}

test('a link gets a temporary 404 before its PUT, and a permanent one once the PUT can no longer come', async () => {
  const { slot } = await aSlot();
  const early = await expectError(await fetch(slot.publicUrl), 'link_not_ready');
  expect(early.retry).toBe('later');
  expect((await fetch(slot.publicUrl, { method: 'HEAD' })).status).toBe(404);
  await sql(`UPDATE upload SET upload_url_expires_at = now() - interval '1 second' WHERE id = $1`, [slot.id]);
  await expectError(await fetch(slot.publicUrl), 'link_not_found');
});

test('a deleted link gets 410 at once, for GET, HEAD, ranges and conditional requests', async () => {
  const wallet = await newEvmPayer();
  const file = aFile();
  const slot = await buySlot(wallet, 'base', file);
  await putFile(slot, file.bytes);
  const etag = (await fetch(slot.publicUrl)).headers.get('etag') ?? '';
  await payingFetch(wallet, 'base')(`${uploadsUrl()}/${slot.id}`, { method: 'DELETE' });
  await expectError(await fetch(slot.publicUrl), 'link_gone');
  const requests: RequestInit[] = [
    { method: 'HEAD' },
    { headers: { Range: 'bytes=0-0' } },
    { headers: { 'If-None-Match': etag } },
  ];
  for (const init of requests) {
    expect((await fetch(slot.publicUrl, init)).status).toBe(410);
  }
});

test('a link with another file name redirects to its own', async () => {
  const { url } = await aLink();
  for (const wrong of [url.replace('notes.txt', 'invoice.pdf'), url.replace('/notes.txt', '')]) {
    const answer = await fetch(wrong, { redirect: 'manual' });
    expect(answer.status).toBe(308);
    expect(answer.headers.get('location')).toBe(new URL(url).pathname);
  }
});

test('a link with one letter changed is nobody’s', async () => {
  const { url } = await aLink();
  const { pathname } = new URL(url);
  const letter = pathname[5] === 'a' ? 'b' : 'a';
  const guess = `${pathname.slice(0, 5)}${letter}${pathname.slice(6)}`;
  await expectError(await fetch(`${stack().filesUrl}${guess}`), 'link_not_found');
});

for (const [range, status, part] of [
  ['bytes=0-0', 206, [0, 1]],
  ['bytes=-10', 206, [90, 100]],
  ['bytes=95-', 206, [95, 100]],
  ['bytes=95-5000', 206, [95, 100]],
  ['bytes=100-', 416, null],
  ['bytes=-0', 416, null],
  ['bytes=5-2', 200, [0, 100]],
  ['bytes=0-1,5-6', 200, [0, 100]],
  ['lines=1-2', 200, [0, 100]],
] as const) {
  test(`a link asked for ${range} answers ${status}`, async () => {
    const { url, bytes } = await aLink(aFile(100));
    const answer = await fetch(url, { headers: { Range: range } });
    if (!part) {
      expect(answer.headers.get('content-range')).toBe('bytes */100');
      await expectError(answer, 'range_not_satisfiable');
      return;
    }
    expect(answer.status).toBe(status);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(...part))).toBe(true);
  });
}

test('a range is served only if the client knows the current file', async () => {
  const { url } = await aLink(aFile(100));
  const etag = (await fetch(url, { method: 'HEAD' })).headers.get('etag') ?? '';
  const ask = (known: string) => fetch(url, { headers: { Range: 'bytes=0-9', 'If-Range': known } });
  expect([(await ask(etag)).status, (await ask('"another"')).status]).toEqual([206, 200]);
});

test('a download has its own name in every script, and the digest of the whole file', async () => {
  const file = aFile(100, '報告書 (最終).txt');
  const { url } = await aLink(file);
  const { headers } = await fetch(url, { headers: { Range: 'bytes=0-9' } });
  expect(headers.get('content-disposition')).toMatch(
    /filename="[\w.-]+"; filename\*=UTF-8''%E5%A0%B1%E5%91%8A%E6%9B%B8%20%28%E6%9C%80%E7%B5%82%29\.txt$/,
  );
  const digest = createHash('sha256').update(file.bytes).digest('base64');
  expect(headers.get('repr-digest')).toBe(`sha-256=:${digest}:`);
});

test('a hostile file is served only from the files origin, isolated from every page', async () => {
  const { url } = await aLink(aFile(64, 'x.html', 'text/html'));
  const { headers } = await fetch(url);
  expect(headers.get('content-disposition')).toBe('attachment; filename="x.html"');
  expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
  expect(headers.get('content-security-policy')).not.toMatch(/allow-|unsafe-eval/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cache-control')).toBe('private, no-cache');
  const { pathname } = new URL(url);
  const atApi = await sendRaw({ method: 'GET', path: pathname, host: new URL(stack().apiUrl).host });
  expect(atApi.status).toBe(404);
});

for (const path of [
  '/',
  '/v1/uploads',
  '/v1/uploads/up_1/renew',
  '/v1/tools/prices',
  '/health',
  '/_next/x',
]) {
  test(`the host of files answers nothing at ${path}`, async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const host = new URL(stack().filesUrl).host;
      const answer = await sendRaw({ method, path, host, headers: ['X-PAYMENT', 'anything'] });
      await expectError(answer, 'not_found');
    }
  });
}
