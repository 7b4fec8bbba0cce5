import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createDiskStore, type DiskStore } from '@/lib/platform/storage/disk';
import { test as base, expect } from '../support/without-browser';

const test = base.extend<{ folder: string; store: DiskStore }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from the pattern.
  folder: async ({}, use) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-disk-'));
    await use(folder);
    await rm(folder, { recursive: true });
  },
  store: async ({ folder }, use) => {
    await use(
      createDiskStore({ folder, filesUrl: 'https://files.example.com', signingKeys: [Buffer.alloc(32)] }),
    );
  },
});

const key = 'uploads/up_1';
const bytes = randomBytes(3_000_000);
const expected = expectedOf(bytes);

function expectedOf(content: Buffer) {
  return { sizeBytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

/** The content in pieces of the size that sockets deliver. */
function streamOf(content: Buffer): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < content.length; at += 65_536) pieces.push(content.subarray(at, at + 65_536));
  return Readable.from(pieces);
}

function altered(content: Buffer): Buffer {
  const copy = Buffer.from(content);
  copy.writeUInt8(copy.readUInt8(copy.length - 1) ^ 1, copy.length - 1);
  return copy;
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

async function read(store: DiskStore, range?: { start: number; end: number }): Promise<Buffer | null> {
  const stream = await store.open(key, range);
  return stream && buffer(stream);
}

for (const [fault, content] of [
  ['altered', altered(bytes)],
  ['short', bytes.subarray(0, -1)],
  ['long', Buffer.concat([bytes, Buffer.from('x')])],
  ['short', Buffer.alloc(0)],
] as const) {
  test(`leaves no trace of ${content.length} bytes that are ${fault}`, async ({ folder, store }) => {
    expect(await store.receive(key, streamOf(content), expected)).toBe(fault);
    expect(await store.sizeOf(key)).toBeNull();
    expect(await filesIn(folder)).toEqual([]);
    expect(await store.receive(key, streamOf(bytes), expected)).toBe('stored');
  });

  test(`keeps the file when ${content.length} bytes come that are ${fault}`, async ({ folder, store }) => {
    await store.receive(key, streamOf(bytes), expected);
    expect(await store.receive(key, streamOf(content), expected)).toBe('occupied');
    expect((await read(store))?.equals(bytes)).toBe(true);
    expect(await filesIn(folder)).toEqual(['up_1']);
  });
}

test('leaves no trace of an interrupted body', async ({ folder, store }) => {
  const source = Readable.from(
    (async function* () {
      yield bytes.subarray(0, 2_000_000);
      throw new Error('aborted');
    })(),
  );
  await expect(store.receive(key, source, expected)).rejects.toThrow('aborted');
  expect(await filesIn(folder)).toEqual([]);
});

test('does not destroy a source that it stops reading', async ({ store }) => {
  const source = streamOf(Buffer.concat([bytes, bytes]));
  expect(await store.receive(key, source, expected)).toBe('long');
  expect(source.destroyed).toBe(false);
});

test('accepts the same bytes any number of times', async ({ folder, store }) => {
  expect(await store.receive(key, streamOf(bytes), expected)).toBe('stored');
  expect(await store.receive(key, streamOf(bytes), expected)).toBe('repeated');
  expect(await filesIn(folder)).toEqual(['up_1']);
});

test('stores one object for many simultaneous PUTs, some with altered bytes', async ({ folder, store }) => {
  const puts = Array.from({ length: 12 }, (_, index) =>
    store.receive(key, streamOf(index % 3 === 0 ? altered(bytes) : bytes), expected),
  );
  const outcomes = await Promise.all(puts);
  expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'repeated')).toHaveLength(7);
  expect((await read(store))?.equals(bytes)).toBe(true);
  expect(await filesIn(folder)).toEqual(['up_1']);
});

test('does not touch buffers in use by others', async ({ store }) => {
  const content = randomBytes(100_000);
  await store.receive(key, Readable.from([content]), expectedOf(content));
  expect(content).toHaveLength(100_000);
});

test('accepts no key outside its folder', async ({ store }) => {
  const keys = [
    '',
    'up_1',
    '../up_1',
    'uploads/..',
    'uploads/../../x',
    '/etc/passwd',
    'uploads/a/b',
    'uploads/a\0',
    'uploads/a\n',
  ];
  for (const strange of [...keys, '.incoming/x']) {
    await expect(store.sizeOf(strange)).rejects.toThrow('not an object key');
    await expect(store.remove(strange)).rejects.toThrow('not an object key');
    await expect(store.receive(strange, streamOf(bytes), expected)).rejects.toThrow('not an object key');
  }
});

test('presigns a URL that it accepts', async ({ store }) => {
  const expiresAt = new Date('2026-12-01T01:00:00.000Z');
  const put = await store.presignPut({ key, mime: 'text/plain', ...expected, expiresAt });
  const url = new URL(put.url);
  const claim = {
    key: url.pathname.slice(1),
    expires: url.searchParams.get('expires'),
    signature: url.searchParams.get('signature'),
  };
  expect(url.origin + url.pathname).toBe('https://files.example.com/uploads/up_1');
  expect(store.checkAddress(claim, new Date('2026-12-01T00:59:59.999Z'))).toBe('open');
  expect(store.checkAddress(claim, expiresAt)).toBe('expired');
  expect(store.checkAddress({ ...claim, key: 'uploads/up_2' }, expiresAt)).toBe('forged');
});

test('removes leftovers of dead processes, and nothing still in progress', async ({ folder, store }) => {
  const host = hostname().replaceAll('.', '-');
  const incoming = path.join(folder, '.incoming');
  const twoHoursAgo = new Date(Date.now() - 7_200_000);
  await mkdir(incoming);
  const alive = `${host}.${process.ppid}.other.a`;
  const elsewhere = 'another-machine.1.other.b';
  // Above the highest process number that Linux assigns.
  const gone = `${host}.99999999.other.c`;
  const formerSelf = `${host}.${process.pid}.other.d`;
  const old = 'another-machine.1.other.e';
  for (const name of [alive, elsewhere, gone, formerSelf, old])
    await writeFile(path.join(incoming, name), '');
  await utimes(path.join(incoming, old), twoHoursAgo, twoHoursAgo);

  expect(await store.removeLeftovers(new Date())).toBe(3);
  expect((await readdir(incoming)).sort()).toEqual([alive, elsewhere].sort());
});
