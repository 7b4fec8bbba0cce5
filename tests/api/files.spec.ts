import { request as httpRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { payingFetch } from '../support/buyer';
import { sql } from '../support/database';
import { aFile } from '../support/files';
import { newEvmPayer } from '../support/payers';
import { stack } from '../support/stack';
import { isStartedByNext } from '../support/started-by';
import { buySlot, putFile, type Slot, uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

async function aSlot(file = aFile()): Promise<{ slot: Slot; bytes: Uint8Array<ArrayBuffer> }> {
  return { slot: await buySlot(await newEvmPayer(), 'base', file), bytes: file.bytes };
}

/** Sends exactly these bytes with exactly these headers, which fetch would not do. */
function rawPut(
  url: string,
  headers: Record<string, string>,
  bytes: Uint8Array,
): Promise<{ status: number; code: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'PUT', headers }, async (answer) => {
      const { error } = JSON.parse(await readText(answer));
      resolve({ status: answer.statusCode ?? 0, code: error.code });
    });
    request.on('error', reject);
    request.end(bytes);
  });
}

async function expectNothingStored(slot: Slot, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  expect((await fetch(slot.publicUrl)).status).toBe(404);
  expect((await putFile(slot, bytes)).status).toBe(200);
}

const refusals: readonly [
  string,
  (slot: Slot, bytes: Uint8Array<ArrayBuffer>) => Promise<Response>,
  number,
  string,
][] = [
  [
    'altered bytes',
    (slot, bytes) =>
      putFile(
        slot,
        bytes.map((byte, index) => (index === 7 ? byte ^ 1 : byte)),
      ),
    400,
    'body',
  ],
  [
    'another type',
    (slot, bytes) =>
      fetch(slot.uploadUrl, {
        method: 'PUT',
        headers: { ...slot.uploadHeaders, 'content-type': 'text/html' },
        body: bytes,
      }),
    400,
    'content-type',
  ],
  [
    'another checksum header',
    (slot, bytes) =>
      fetch(slot.uploadUrl, {
        method: 'PUT',
        headers: { ...slot.uploadHeaders, 'x-amz-checksum-sha256': `${'A'.repeat(43)}=` },
        body: bytes,
      }),
    400,
    'x-amz-checksum-sha256',
  ],
];

for (const [words, put, status, path] of refusals) {
  test(`a PUT with ${words} stores nothing, says what differs, and can be corrected`, async () => {
    const { slot, bytes } = await aSlot();
    const answer = await put(slot, bytes);
    expect(answer.status).toBe(status);
    const { error } = await answer.json();
    expect(error).toMatchObject({ code: 'upload_mismatch', payment: 'none' });
    expect(error.issues.map((issue: { path: string }) => issue.path)).toContain(path);
    await expectNothingStored(slot, bytes);
  });
}

test('a PUT that is shorter or longer than reserved stores nothing', async () => {
  const { slot, bytes } = await aSlot();
  for (const other of [bytes.slice(0, -1), new Uint8Array([...bytes, 0])]) {
    const headers = { ...slot.uploadHeaders, 'content-length': String(other.length) };
    expect((await rawPut(slot.uploadUrl, headers, other)).status).toBe(400);
  }
  await expectNothingStored(slot, bytes);
});

test('an interrupted PUT stores nothing', async () => {
  const { slot, bytes } = await aSlot(aFile(200_000));
  await new Promise<void>((resolve) => {
    const request = httpRequest(slot.uploadUrl, { method: 'PUT', headers: slot.uploadHeaders });
    request.on('error', () => resolve());
    request.write(bytes.slice(0, 100_000), () => request.destroy());
    request.on('close', () => resolve());
  });
  await expectNothingStored(slot, bytes);
});

test('a PUT without a length, to a forged URL or to the URL of another slot stores nothing', async () => {
  const { slot, bytes } = await aSlot();
  const { slot: other } = await aSlot();
  const { 'content-length': _, ...withoutLength } = slot.uploadHeaders;
  const chunked = { ...withoutLength, 'transfer-encoding': 'chunked' };
  expect(await rawPut(slot.uploadUrl, chunked, bytes)).toEqual({ status: 411, code: 'length_required' });
  const forged = slot.uploadUrl.replace(/signature=.{4}/, 'signature=AAAA');
  const later = slot.uploadUrl.replace(/expires=\d+/, 'expires=4102444800');
  const swapped = slot.uploadUrl.replace(slot.id, other.id);
  for (const uploadUrl of [forged, later, swapped]) {
    expect((await putFile({ ...slot, uploadUrl }, bytes)).status).toBe(403);
  }
  await expectNothingStored(slot, bytes);
});

test('a PUT to an expired URL or a deleted upload gets 410', async () => {
  const wallet = await newEvmPayer();
  const file = aFile();
  const slot = await buySlot(wallet, 'base', file);
  await payingFetch(wallet, 'base')(`${uploadsUrl()}/${slot.id}`, { method: 'DELETE' });
  expect((await putFile(slot, file.bytes)).status).toBe(410);
  expect((await fetch(slot.publicUrl)).status).toBe(410);
});

test('repeated and simultaneous copies of the same PUT succeed; no other PUT replaces the file', async () => {
  const { slot, bytes } = await aSlot(aFile(500_000));
  const together = await Promise.all([putFile(slot, bytes), putFile(slot, bytes)]);
  expect(together.map(({ status }) => status)).toEqual([200, 200]);
  expect((await putFile(slot, bytes)).status).toBe(200);
  const other = bytes.map((byte) => byte ^ 255);
  expect([400, 409]).toContain((await putFile(slot, other)).status);
  const file = await fetch(slot.publicUrl);
  expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
});

test('a file of exactly 10 MiB can be uploaded and downloaded', async () => {
  const { slot, bytes } = await aSlot(aFile(10_485_760, 'big.bin', 'application/octet-stream'));
  expect((await putFile(slot, bytes)).status).toBe(200);
  const file = await fetch(slot.publicUrl);
  expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
});

const activeTypes = [
  'text/html',
  'image/svg+xml',
  'application/xhtml+xml',
  'text/xml',
  'text/javascript',
  'x/y',
];
for (const mime of activeTypes) {
  test(`a file of type ${mime} is downloaded, never run`, async () => {
    const { slot, bytes } = await aSlot(aFile(64, 'page.html', mime));
    await putFile(slot, bytes);
    const { headers } = await fetch(slot.publicUrl);
    expect(headers.get('content-disposition')).toMatch(/^attachment/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('set-cookie')).toBeNull();
  });
}

const names = [
  '../../etc/passwd',
  '..\\..\\boot.ini',
  'a\r\nSet-Cookie: x=y',
  'quote".txt',
  '\u202egnp.exe',
  'файл.txt',
  '....',
  'x'.repeat(180),
  '<script>alert(1)</script>.html',
];
for (const name of names) {
  test(`the name ${JSON.stringify(name.slice(0, 20))} makes a harmless link`, async () => {
    const { slot, bytes } = await aSlot(aFile(16, name, 'image/png'));
    const { pathname, origin } = new URL(slot.publicUrl);
    expect(origin).toBe(stack().filesUrl);
    expect(pathname).toMatch(/^\/[0-9A-Za-z]{22,}\/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/);
    expect(pathname).not.toContain('..');
    await putFile(slot, bytes);
    const answer = await fetch(slot.publicUrl);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });
}

test('a link answers HEAD, ranges and conditional requests', async () => {
  const { slot, bytes } = await aSlot(aFile(1_000, 'a.png', 'image/png'));
  await putFile(slot, bytes);
  const head = await fetch(slot.publicUrl, { method: 'HEAD' });
  const length = isStartedByNext ? null : '1000';
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, length, '']);
  const etag = head.headers.get('etag') ?? '';
  expect((await fetch(slot.publicUrl, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  const part = await fetch(slot.publicUrl, { headers: { Range: 'bytes=10-19' } });
  expect(part.status).toBe(206);
  expect(part.headers.get('content-range')).toBe('bytes 10-19/1000');
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.slice(10, 20))).toBe(true);
  expect((await fetch(slot.publicUrl, { headers: { Range: 'bytes=1000-' } })).status).toBe(416);
});

test('a link ends when it expires', async () => {
  const { slot, bytes } = await aSlot();
  await putFile(slot, bytes);
  expect((await fetch(slot.publicUrl)).status).toBe(200);
  await sql(`UPDATE upload SET expires_at = now() - interval '1 second' WHERE id = $1`, [slot.id]);
  const gone = await fetch(slot.publicUrl);
  expect(gone.status).toBe(410);
  expect((await gone.json()).error.code).toBe('link_gone');
});

test('the files host serves no API, and the API host serves no files', async () => {
  const { slot, bytes } = await aSlot();
  await putFile(slot, bytes);
  const { apiUrl, filesUrl } = stack();
  expect((await fetch(slot.publicUrl.replace(filesUrl, apiUrl))).status).toBe(404);
  expect((await fetch(`${filesUrl}/v1/uploads`, { method: 'POST' })).status).not.toBe(402);
  expect((await fetch(`${filesUrl}/v1/tools/prices`)).status).toBe(404);
});

test('health, readiness and prices are free, and prices list what is offered', async () => {
  const { apiUrl } = stack();
  expect(await (await fetch(`${apiUrl}/health`)).json()).toEqual({ status: 'ok' });
  const { networks } = await (await fetch(`${apiUrl}/health/ready`)).json();
  expect(networks).toEqual({ base: true, polygon: true, arbitrum: true, 'solana-mainnet': true });
  const { prices } = await (await fetch(`${apiUrl}/v1/tools/prices`)).json();
  expect(prices.upload).toMatchObject({ price: '0.005', amountUsdcAtomic: '5000' });
  expect(prices.renewal).toMatchObject({ price: '0.005', amountUsdcAtomic: '5000' });
  expect(prices.deletion).toMatchObject({ price: '0.001', amountUsdcAtomic: '1000' });
});
