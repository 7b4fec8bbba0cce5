import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createDiskStore } from '@/lib/platform/storage/disk';
import { createRemoteStore } from '@/lib/platform/storage/remote-store';
import { createS3Bucket } from '@/lib/platform/storage/s3';
import type { PresignedPut, Store } from '@/lib/platform/storage/store';
import { createVercelBucket } from '@/lib/platform/storage/vercel-blob';
import { testPlatform } from '../support/platform';
import { remoteServiceNames, remoteServices } from '../support/stores';
import { sample } from '../support/tiers';
import { test as base, expect } from '../support/without-browser';

/** The contract of every store (lib/platform/storage/store.ts), on disk and with each kind of remote service. */

// Nothing is shared, and both workers have something to do until the end.
base.describe.configure({ mode: 'parallel' });

interface OpenStore {
  readonly store: Store;
  close(): Promise<void>;
}

async function openDisk(): Promise<OpenStore> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-store-'));
  const filesUrl = 'https://files.example.com';
  return {
    store: createDiskStore({ folder, filesUrl, signingKeys: [Buffer.alloc(32)] }),
    close: () => rm(folder, { recursive: true }),
  };
}

async function openRemote(name: (typeof remoteServiceNames)[number]): Promise<OpenStore> {
  const { serverEnv, stop } = await remoteServices[name]();
  const setting = (key: string) => serverEnv[key] ?? '';
  if (setting('STORAGE') === 's3') {
    const options = {
      endpoint: setting('S3_ENDPOINT'),
      bucket: setting('S3_BUCKET'),
      region: setting('S3_REGION'),
      accessKeyId: setting('S3_ACCESS_KEY_ID'),
      secretAccessKey: setting('S3_SECRET_ACCESS_KEY'),
    };
    return { store: createRemoteStore(testPlatform(), () => createS3Bucket(options)), close: stop };
  }
  // The package's own setting for the address of the service.
  process.env.VERCEL_BLOB_API_URL = setting('VERCEL_BLOB_API_URL');
  const token = setting('BLOB_READ_WRITE_TOKEN');
  return {
    store: createRemoteStore(testPlatform(), () => createVercelBucket(testPlatform(), { token })),
    close: stop,
  };
}

function testOn(open: () => Promise<OpenStore>) {
  return base.extend<{ store: Store }>({
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from the pattern.
    store: async ({}, use) => {
      const { store, close } = await open();
      await use(store);
      await close();
    },
  });
}

const key = 'uploads/up_1';
const otherKey = 'uploads/up_2';
const bytes = randomBytes(300_000);

function factsOf(content: Buffer, mime = 'text/plain; charset=utf-8') {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { mime, sha256, sizeBytes: content.length };
}

const announced = factsOf(bytes);
const inAnHour = () => new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);

function altered(content: Buffer): Buffer {
  const copy = Buffer.from(content);
  copy.writeUInt8(copy.readUInt8(7) ^ 1, 7);
  return copy;
}

async function read(store: Store, range?: { start: number; end: number }): Promise<Buffer | null> {
  const stream = await store.open(key, range);
  return stream && buffer(stream);
}

/** The server that stands in for S3 is a package of the full tier. */
const detailsOf = (name: string) => sample(!name.startsWith('s3,'));

for (const [name, open] of [
  ['disk', openDisk] as const,
  ...remoteServiceNames.map((service) => [service, () => openRemote(service)] as const),
]) {
  const test = testOn(open);

  test.describe(name, detailsOf(name), () => {
    test('returns the bytes that it stored, whole and in part', async ({ store }) => {
      await store.put(key, bytes, announced);
      expect(await store.sizeOf(key)).toBe(bytes.length);
      expect((await read(store))?.equals(bytes)).toBe(true);
      expect(await read(store, { start: 0, end: 0 })).toEqual(bytes.subarray(0, 1));
      expect(await read(store, { start: 10, end: 19 })).toEqual(bytes.subarray(10, 20));
      expect(await read(store, { start: bytes.length - 5, end: bytes.length - 1 })).toEqual(
        bytes.subarray(-5),
      );
    });

    test('has no object that was never stored', async ({ store }) => {
      expect(await store.sizeOf(key)).toBeNull();
      expect(await store.open(key)).toBeNull();
      expect(await store.open(key, { start: 0, end: 9 })).toBeNull();
      expect(await store.adopt(key, announced)).toBe('absent');
    });

    test('does not store bytes that do not match their digest', async ({ store }) => {
      await expect(store.put(key, altered(bytes), announced)).rejects.toThrow('not the announced');
      expect(await store.sizeOf(key)).toBeNull();
    });

    test('can store the same bytes again', async ({ store }) => {
      await Promise.all([store.put(key, bytes, announced), store.put(key, bytes, announced)]);
      await store.put(key, bytes, announced);
      expect((await read(store))?.equals(bytes)).toBe(true);
    });

    test('removes an object, and ignores a missing one', async ({ store }) => {
      await store.put(key, bytes, announced);
      await store.put(otherKey, bytes, announced);
      await store.remove(key);
      await store.remove(key);
      expect(await store.sizeOf(key)).toBeNull();
      expect(await store.open(key)).toBeNull();
      expect(await store.sizeOf(otherKey)).toBe(bytes.length);
    });

    test('accepts no key outside its prefixes', async ({ store }) => {
      for (const strange of ['', 'up_1', '../up_1', 'uploads/..', 'incoming/uploads/up_1', 'uploads/a\n']) {
        await expect(store.sizeOf(strange)).rejects.toThrow('not an object key');
        await expect(store.open(strange)).rejects.toThrow('not an object key');
        await expect(store.remove(strange)).rejects.toThrow('not an object key');
        await expect(store.put(strange, bytes, announced)).rejects.toThrow('not an object key');
        await expect(store.presignPut({ ...announced, key: strange, expiresAt: inAnHour() })).rejects.toThrow(
          'not an object key',
        );
      }
    });

    test('presigns the same URL and headers for a slot each time', async ({ store }) => {
      const grant = { ...announced, key, expiresAt: inAnHour() };
      const put = await store.presignPut(grant);
      expect(put.method).toBe('PUT');
      expect(put.headers).toMatchObject({
        'content-type': announced.mime,
        'content-length': '300000',
        'x-amz-checksum-sha256': Buffer.from(announced.sha256, 'hex').toString('base64'),
        'x-amz-meta-sha256': announced.sha256,
      });
      expect(await store.presignPut(grant)).toEqual(put);
    });
  });
}

/** Sends exactly these headers and bytes, which fetch would not do. */
function rawPut(url: string, headers: Record<string, string>, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'PUT', headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** A PUT that differs from the announced one, and the services that refuse it; the others may accept it, without effect. */
interface WrongPut {
  readonly words: string;
  readonly send: (put: PresignedPut) => Promise<number>;
  readonly refusedBy: readonly string[];
}

const checking = ['s3, checking'];
const withoutHeader = ({ headers }: PresignedPut, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name));
const checksumOf = (content: Buffer) => ({
  'x-amz-checksum-sha256': createHash('sha256').update(content).digest('base64'),
  'x-amz-meta-sha256': createHash('sha256').update(content).digest('hex'),
});

const otherBytes: readonly WrongPut[] = [
  {
    words: 'one byte changed',
    send: (put) => rawPut(put.url, put.headers, altered(bytes)),
    refusedBy: checking,
  },
  {
    words: 'one byte too few',
    send: (put) => rawPut(put.url, { ...put.headers, 'content-length': '299999' }, bytes.subarray(0, -1)),
    refusedBy: checking,
  },
  {
    words: 'one byte too many',
    send: (put) =>
      rawPut(
        put.url,
        { ...put.headers, 'content-length': '300001' },
        Buffer.concat([bytes, Buffer.from('x')]),
      ),
    refusedBy: [...checking, 'vercel-blob'],
  },
  {
    words: 'another body under its own checksum',
    send: (put) => rawPut(put.url, { ...put.headers, ...checksumOf(altered(bytes)) }, altered(bytes)),
    refusedBy: checking,
  },
  {
    words: 'no bytes at all',
    send: (put) => rawPut(put.url, { ...put.headers, 'content-length': '0' }, Buffer.alloc(0)),
    refusedBy: checking,
  },
];

const otherHeaders: readonly WrongPut[] = [
  ...['content-type', 'x-amz-checksum-sha256', 'x-amz-meta-sha256'].map((name) => ({
    words: `${name} missing`,
    send: (put: PresignedPut) => rawPut(put.url, withoutHeader(put, name), bytes),
    refusedBy: checking,
  })),
  {
    words: 'another type',
    send: (put) => rawPut(put.url, { ...put.headers, 'content-type': 'text/html' }, bytes),
    refusedBy: checking,
  },
  {
    words: 'no length',
    send: (put) =>
      rawPut(put.url, { ...withoutHeader(put, 'content-length'), 'transfer-encoding': 'chunked' }, bytes),
    refusedBy: checking,
  },
];

for (const name of remoteServiceNames) {
  const test = testOn(() => openRemote(name));
  const presign = (store: Store, expiresAt = inAnHour()) =>
    store.presignPut({ ...announced, key, expiresAt });

  test.describe(`an address of ${name}`, detailsOf(name), () => {
    test('accepts the reserved bytes, which become the object when first requested', async ({ store }) => {
      const put = await presign(store);
      expect(await rawPut(put.url, put.headers, bytes)).toBe(200);
      expect(await store.sizeOf(key), 'nothing has its name before it was hashed').toBeNull();
      expect(await store.adopt(key, announced)).toBe('adopted');
      expect((await read(store))?.equals(bytes)).toBe(true);
    });

    test('accepts the same PUT twice, in turn and at once', async ({ store }) => {
      const put = await presign(store);
      const together = await Promise.all([1, 2].map(() => rawPut(put.url, put.headers, bytes)));
      expect(together).toEqual([200, 200]);
      expect(await rawPut(put.url, put.headers, bytes)).toBe(200);
      expect(await store.adopt(key, announced)).toBe('adopted');
      expect(await rawPut(put.url, put.headers, bytes)).toBe(200);
      expect((await read(store))?.equals(bytes)).toBe(true);
    });

    test('is requested once for simultaneous readers of the object', async ({ store }) => {
      const put = await presign(store);
      await rawPut(put.url, put.headers, bytes);
      const adoptions = await Promise.all(Array.from({ length: 20 }, () => store.adopt(key, announced)));
      expect(new Set(adoptions)).toEqual(new Set(['adopted']));
    });

    for (const { words, send, refusedBy } of otherBytes) {
      test(`never makes an object of a PUT with ${words}, and can be used again`, async ({ store }) => {
        const put = await presign(store);
        const status = await send(put);
        const isRefused = refusedBy.includes(name);
        if (isRefused) expect([400, 403, 411]).toContain(status);
        expect(await store.adopt(key, announced)).toBe(isRefused ? 'absent' : 'altered');
        expect(await store.sizeOf(key)).toBeNull();
        expect(await rawPut(put.url, put.headers, bytes)).toBe(200);
        expect(await store.adopt(key, announced)).toBe('adopted');
      });

      test(`leaves the object as it is after a PUT with ${words}`, async ({ store }) => {
        const put = await presign(store);
        await rawPut(put.url, put.headers, bytes);
        await store.adopt(key, announced);
        await send(put);
        expect((await read(store))?.equals(bytes)).toBe(true);
        expect(await store.adopt(key, announced)).not.toBe('adopted');
        expect((await read(store))?.equals(bytes)).toBe(true);
      });
    }

    for (const { words, send, refusedBy } of otherHeaders) {
      test(`accepts the reserved bytes or nothing from a PUT with ${words}`, async ({ store }) => {
        const status = await send(await presign(store));
        if (refusedBy.includes(name)) {
          expect([400, 403, 411]).toContain(status);
          expect(await store.adopt(key, announced)).toBe('absent');
        } else {
          await store.adopt(key, announced);
          const stored = await read(store);
          expect(stored === null || stored.equals(bytes)).toBe(true);
        }
      });
    }

    test('accepts nothing once it has expired', async ({ store }) => {
      const put = await presign(store, new Date(Date.now() - 5_000));
      // Vercel's package does not sign addresses that have already expired: such an address stays valid for another second.
      const refused = { intervals: [50] };
      if (name === 'vercel-blob')
        await expect.poll(() => rawPut(put.url, put.headers, bytes), refused).toBe(403);
      else expect(await rawPut(put.url, put.headers, bytes)).toBe(403);
      await store.remove(key);
      expect(await rawPut(put.url, put.headers, bytes)).toBe(403);
      expect(await store.adopt(key, announced)).toBe('absent');
    });

    test('works for no other object', async ({ store }) => {
      const put = await presign(store);
      const swapped = put.url.replace('up_1', 'up_2');
      const status = await rawPut(swapped, put.headers, bytes);
      if (name !== 's3, trusting') expect(status).toBe(403);
      expect(await store.sizeOf(otherKey)).toBeNull();
      expect(await store.adopt(otherKey, factsOf(altered(bytes)))).not.toBe('adopted');
    });

    test('cannot be changed to write what links serve', async ({ store }) => {
      const put = await presign(store);
      await rawPut(put.url, put.headers, bytes);
      await store.adopt(key, announced);
      const turned = put.url.replace(/incoming(\/|%2F)/, '');
      expect(turned).not.toBe(put.url);
      if (name === 's3, trusting') return;
      expect(await rawPut(turned, put.headers, altered(bytes))).toBe(403);
      expect((await read(store))?.equals(bytes)).toBe(true);
    });

    test('leaves nothing behind when the object is removed', async ({ store }) => {
      const put = await presign(store);
      await rawPut(put.url, put.headers, bytes);
      await store.remove(key);
      expect(await store.adopt(key, announced)).toBe('absent');
    });
  });
}
