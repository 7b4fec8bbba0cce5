import { type Rig, startRig } from '../recovery/rig/rig';
import { payingFetch } from '../support/buyer';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { expectLogged } from '../support/logged';
import { isStartedByNext } from '../support/started-by';
import { type RemoteService, remoteServiceNames, remoteServices } from '../support/stores';
import { putFile, type Slot } from '../support/uploads';
import { expect, test } from '../support/without-browser';

/** Uploads, from payment to the expiry of the link, where the bytes bypass this server and go to a store elsewhere. */

type File = ReturnType<typeof aFile>;

async function buySlot(rig: Rig, file: File) {
  const wallet = await rig.newEvmPayer();
  const pay = payingFetch(wallet, 'base');
  const answer = await pay(`${rig.apiUrl}/v1/uploads`, { method: 'POST', body: file.body });
  expect(answer.status, await answer.clone().text()).toBe(200);
  const slot = (await answer.json()) as Slot;
  const remove = () => pay(`${rig.apiUrl}/v1/uploads/${slot.id}`, { method: 'DELETE' });
  return { slot, remove };
}

/** A slot whose file has been sent. */
async function upload(rig: Rig, file: File) {
  const bought = await buySlot(rig, file);
  expect((await putFile(bought.slot, file.bytes)).status).toBe(200);
  return { ...bought, link: bought.slot.publicUrl };
}

const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
const altered = (bytes: Uint8Array<ArrayBuffer>) =>
  bytes.map((byte, index) => (index === 7 ? byte ^ 1 : byte));

for (const name of remoteServiceNames) {
  test.describe(name, () => {
    /** One server for each kind of store, with its own database and keys. */
    let rig: Rig;
    let service: RemoteService;

    test.beforeAll(async () => {
      service = await remoteServices[name]();
      rig = await startRig();
      // The Vercel Blob client reads its address from the environment of its process.
      await rig.startProcess(service.serverEnv);
    });
    test.afterAll(async () => {
      await rig.close();
      await service.stop();
    });

    test('a slot is bought, its file uploaded and its link opened, with requests only to our origin', async () => {
      const file = aFile(100_000, 'page.html', 'text/html');
      const { slot } = await buySlot(rig, file);
      expect(new URL(slot.publicUrl).origin).toBe(rig.server().filesUrl);
      expect(new URL(slot.uploadUrl).origin).not.toBe(rig.server().filesUrl);
      await expectError(await fetch(slot.publicUrl), 'link_not_ready', rig.apiUrl);

      expect((await putFile(slot, file.bytes)).status).toBe(200);
      const answer = await fetch(slot.publicUrl, { redirect: 'error' });
      expect(answer.status).toBe(200);
      expect((await bytesOf(answer)).equals(file.bytes)).toBe(true);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'text/html',
        ...(isStartedByNext ? {} : { 'content-length': '100000' }),
        'content-disposition': 'attachment; filename="page.html"',
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-cache',
        etag: `"${file.announcement.sha256}"`,
      });
      expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
    });

    test('a file of exactly 10 MiB can be uploaded and downloaded', async () => {
      const file = aFile(10_485_760, 'big.bin', 'application/octet-stream');
      const { link } = await upload(rig, file);
      expect((await bytesOf(await fetch(link))).equals(file.bytes)).toBe(true);
    });

    test('a link serves HEAD first, then ranges and conditional requests', async () => {
      const file = aFile(1_000, 'a.png', 'image/png');
      const { link } = await upload(rig, file);
      const head = await fetch(link, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([
        200,
        isStartedByNext ? null : '1000',
      ]);
      const part = await fetch(link, { headers: { Range: 'bytes=10-19' } });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/1000']);
      expect((await bytesOf(part)).equals(file.bytes.slice(10, 20))).toBe(true);
      const first = await fetch(link, { headers: { Range: 'bytes=0-0' } });
      expect((await bytesOf(first)).equals(file.bytes.slice(0, 1))).toBe(true);
      expect((await fetch(link, { headers: { Range: 'bytes=1000-' } })).status).toBe(416);
      const known = { 'If-None-Match': head.headers.get('etag') ?? '' };
      expect((await fetch(link, { headers: known })).status).toBe(304);
    });

    test('a link works for many simultaneous first readers', async () => {
      const file = aFile(300_000);
      const { link } = await upload(rig, file);
      const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(link)));
      for (const answer of answers) expect((await bytesOf(answer)).equals(file.bytes)).toBe(true);
    });

    test('a link never serves other bytes than the reserved ones, and works once they arrive', async () => {
      const file = aFile(5_000);
      const { slot } = await buySlot(rig, file);
      await putFile(slot, altered(file.bytes));
      await expectError(await fetch(slot.publicUrl), 'link_not_ready', rig.apiUrl);
      expect((await fetch(slot.publicUrl, { method: 'HEAD' })).status).toBe(404);
      expect((await putFile(slot, file.bytes)).status).toBe(200);
      expect((await bytesOf(await fetch(slot.publicUrl))).equals(file.bytes)).toBe(true);
    });

    test('another PUT does not change what a link serves', async () => {
      const file = aFile(5_000);
      const { slot, link } = await upload(rig, file);
      expect((await fetch(link)).status).toBe(200);
      await putFile(slot, altered(file.bytes));
      expect((await putFile(slot, file.bytes)).status).toBe(200);
      await putFile(slot, altered(file.bytes));
      expect((await bytesOf(await fetch(link))).equals(file.bytes)).toBe(true);
    });

    test('a deleted upload is gone at once, and a later PUT is never served', async () => {
      const file = aFile();
      const { slot, link, remove } = await upload(rig, file);
      expect((await fetch(link)).status).toBe(200);
      expect((await remove()).status).toBe(200);
      await expectError(await fetch(link), 'link_gone', rig.apiUrl);
      await putFile(slot, file.bytes);
      expect((await fetch(link, { headers: { Range: 'bytes=0-0' } })).status).toBe(410);
    });

    test('a link ends when it expires', async () => {
      const { slot, link } = await upload(rig, aFile());
      expect((await fetch(link)).status).toBe(200);
      await rig.query(`UPDATE upload SET expires_at = now() - interval '1 second' WHERE id = $1`, [slot.id]);
      await expectError(await fetch(link), 'link_gone', rig.apiUrl);
    });

    test('the files origin accepts no PUT itself', async () => {
      const { slot } = await buySlot(rig, aFile());
      const url = `${rig.server().filesUrl}/uploads/${slot.id}?expires=4102444800&signature=x`;
      await expectError(await fetch(url, { method: 'PUT', body: 'x' }), 'not_found', rig.apiUrl);
    });
  });
}

test.describe('a store that cannot be used', () => {
  const wrongSettings: readonly [string, Record<string, string>][] = [
    ['a bucket that does not exist', { S3_BUCKET: 'no-such-bucket' }],
    ['a key that is not known', { S3_ACCESS_KEY_ID: 'NOBODY' }],
    ['a wrong secret', { S3_SECRET_ACCESS_KEY: 'not-the-secret-access-key' }],
    ['an endpoint where nobody answers', { S3_ENDPOINT: 'http://127.0.0.1:9' }],
  ];
  for (const [words, wrong] of wrongSettings) {
    test(`is reported at start and in readiness, and only calls that need it are refused: ${words}`, async () => {
      const service = await remoteServices['s3, checking']();
      const rig = await startRig();
      try {
        await rig.startProcess({ ...service.serverEnv, ...wrong, LOG_LEVEL: 'info' });
        await expectLogged(rig.server(), 'the file store cannot be used');
        await expectLogged(rig.server(), '"step":"write an object"');
        expect(rig.server().output()).not.toContain('not-the-secret-access-key');
        const ready = await fetch(`${rig.apiUrl}/health/ready`);
        expect([ready.status, await ready.json()]).toEqual([
          200,
          expect.objectContaining({ degraded: ['file_store'] }),
        ]);
        const buy = payingFetch(await rig.newEvmPayer(), 'base');
        const headers = { 'Content-Type': 'application/json' };
        for (const [path, body] of [
          ['/v1/uploads', aFile().body],
          ['/v1/render/pdf', JSON.stringify({ html: '<p>A bill' })],
        ] as const) {
          const answer = await buy(`${rig.apiUrl}${path}`, { method: 'POST', headers, body });
          await expectError(answer, 'service_unavailable', rig.apiUrl);
        }
        expect(await rig.query('SELECT id FROM paid_call')).toEqual([]);
        const body = JSON.stringify({ query: 'lisbon' });
        const other = await buy(`${rig.apiUrl}/v1/airports/search`, { method: 'POST', headers, body });
        expect(other.status, await other.text()).toBe(200);
        expect((await fetch(`${rig.apiUrl}/health`)).status).toBe(200);
      } finally {
        await rig.close();
        await service.stop();
      }
    });
  }
});
