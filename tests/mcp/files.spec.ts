import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect } from '../support/without-browser';
import { balanceOf, failureOf, type Machine, outputOf, test, topUp } from './rig';

interface Uploaded {
  id: string;
  publicUrl: string;
  size: number;
  sha256: string;
  mime: string;
}

const download = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

async function writeBytes(machine: Machine, name: string, bytes: Buffer): Promise<string> {
  const file = path.join(machine.home, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, bytes);
  return file;
}

test('a local file can be downloaded from its public link, and the balance falls by the price', async ({
  machine,
}) => {
  const adapter = await machine.start();
  await topUp(adapter);
  const bytes = randomBytes(300_000);
  const file = await writeBytes(machine, 'photo of the house.png', bytes);
  const uploaded = outputOf<Uploaded>(await adapter.call('upload', { path: file, tags: ['house'] }));
  expect(uploaded).toMatchObject({
    size: bytes.length,
    mime: 'image/png',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    tags: ['house'],
  });
  expect(uploaded.publicUrl).toMatch(/photo/);
  expect(await download(uploaded.publicUrl)).toEqual(bytes);
  expect(await balanceOf(machine)).toBe('0.995');
  await expect.poll(async () => (await machine.state()).openCalls).toEqual({});
});

test('up to 10 MiB in base64 can be uploaded', async ({ machine }) => {
  const adapter = await machine.start();
  await topUp(adapter);
  const bytes = randomBytes(10_485_760);
  const uploaded = outputOf<Uploaded>(
    await adapter.call('upload', { base64: bytes.toString('base64'), filename: 'data.bin' }),
  );
  expect((await download(uploaded.publicUrl)).equals(bytes)).toBe(true);
  const more = Buffer.concat([bytes, Buffer.from('x')]).toString('base64');
  expect(failureOf(await adapter.call('upload', { base64: more }))).toMatchObject({
    code: 'invalid_input',
    payment: 'none',
    issues: [{ path: 'base64', rule: expect.stringContaining('10485760') }],
  });
  expect(await balanceOf(machine)).toBe('0.995');
});

test('an upload is listed, renewed for its price and deleted for free', async ({ machine }) => {
  const adapter = await machine.start();
  await topUp(adapter);
  const { id, publicUrl } = outputOf<Uploaded>(await adapter.call('upload', { base64: 'aGVsbG8=' }));
  expect((await fetch(publicUrl)).headers.get('content-type')).toBe('application/octet-stream');
  const listed = outputOf<{ uploads: { id: string }[] }>(await adapter.call('recent_uploads'));
  expect(listed.uploads.map((upload) => upload.id)).toEqual([id]);
  expect(outputOf(await adapter.call('renew_upload', { id }))).toMatchObject({ id, renewalCount: 1 });
  expect(await balanceOf(machine)).toBe('0.99');
  expect(outputOf(await adapter.call('delete_upload', { id }))).toMatchObject({ id, status: 'deleted' });
  expect((await fetch(publicUrl)).status).toBe(410);
  expect(outputOf(await adapter.call('recent_uploads'))).toMatchObject({ uploads: [] });
  expect(failureOf(await adapter.call('renew_upload', { id }))).toMatchObject({
    code: 'upload_not_found',
    payment: 'none',
  });
  expect(await balanceOf(machine)).toBe('0.99');
});

interface Refusal {
  readonly what: string;
  readonly place: (machine: Machine) => Promise<string>;
  readonly rule: RegExp;
}

const refusals: readonly Refusal[] = [
  { what: 'a relative path', place: async () => 'notes.txt', rule: /absolute/ },
  { what: 'a path that climbs', place: async ({ home }) => `${home}/a/../b.txt`, rule: /"\.\."/ },
  { what: 'a path with a NUL', place: async ({ home }) => `${home}/a\0.txt`, rule: /NUL/ },
  {
    what: 'a file that is not there',
    place: async ({ home }) => `${home}/nothing.txt`,
    rule: /must name a file that exists/,
  },
  { what: 'a folder', place: async ({ home }) => home, rule: /folder/ },
  { what: 'an empty file', place: (machine) => writeBytes(machine, 'a.txt', Buffer.alloc(0)), rule: /empty/ },
  {
    what: 'a hidden file',
    place: (machine) => writeBytes(machine, '.env', Buffer.from('x')),
    rule: /hidden/,
  },
  {
    what: 'a file in a hidden folder',
    place: (machine) => writeBytes(machine, '.ssh/id_ed25519', Buffer.from('x')),
    rule: /hidden/,
  },
  {
    what: 'a file in a hidden folder behind a linked one',
    async place(machine) {
      await writeBytes(machine, '.ssh/id_ed25519', Buffer.from('x'));
      await symlink(path.join(machine.home, '.ssh'), path.join(machine.home, 'keys'));
      return path.join(machine.home, 'keys/id_ed25519');
    },
    rule: /hidden/,
  },
  {
    what: 'a symbolic link',
    async place(machine) {
      const file = await writeBytes(machine, 'a.txt', Buffer.from('x'));
      await symlink(file, `${file}.link`);
      return `${file}.link`;
    },
    rule: /symbolic link/,
  },
  { what: 'a device', place: async () => '/dev/zero', rule: /device/ },
  {
    what: 'a pipe',
    async place({ home }) {
      execFileSync('mkfifo', [path.join(home, 'pipe')]);
      return path.join(home, 'pipe');
    },
    rule: /pipe/,
  },
  {
    what: 'a file of 10 MiB and a byte',
    async place(machine) {
      const file = await writeBytes(machine, 'big.bin', Buffer.from('x'));
      await truncate(file, 10_485_761);
      return file;
    },
    rule: /10485761 bytes, more than the 10485760/,
  },
  {
    what: 'a file of 100 GB',
    async place(machine) {
      const file = await writeBytes(machine, 'huge.bin', Buffer.from('x'));
      await truncate(file, 100_000_000_000);
      return file;
    },
    rule: /100000000000 bytes/,
  },
];

test('anything but a plain file is refused with the rule, before the service is called', async ({
  machine,
}) => {
  const adapter = await machine.start();
  for (const { what, place, rule } of refusals) {
    const failure = failureOf(await adapter.call('upload', { path: await place(machine) }));
    expect(failure, what).toMatchObject({ code: 'file_refused', payment: 'none', retry: 'fix_input' });
    expect(failure.message, what).toMatch(rule);
  }
  expect(machine.proxy.requests).toEqual([]);
});

test('a socket is no file', async ({ machine }) => {
  const place = path.join(machine.home, 'socket');
  const server = createServer().listen(place);
  await once(server, 'listening');
  const adapter = await machine.start();
  expect(failureOf(await adapter.call('upload', { path: place })).message).toMatch(/socket/);
  server.close();
});

test('with configured folders, only their files can be uploaded', async ({ machine }) => {
  const inside = await writeBytes(machine, '.work/shared/report.txt', Buffer.from('report'));
  const hidden = await writeBytes(machine, '.work/shared/.env', Buffer.from('secret'));
  const outside = await writeBytes(machine, '.work/report.txt', Buffer.from('report'));
  const linked = path.join(machine.home, '.work/shared/linked');
  await symlink(path.join(machine.home, '.work'), linked);
  const adapter = await machine.start({ TUPPENCE_UPLOAD_FOLDERS: path.dirname(inside) });
  await topUp(adapter);
  expect(failureOf(await adapter.call('upload', { path: outside })).message).toMatch(/outside the folders/);
  expect(failureOf(await adapter.call('upload', { path: `${linked}/report.txt` })).message).toMatch(
    /outside/,
  );
  expect(failureOf(await adapter.call('upload', { path: hidden })).message).toMatch(/hidden/);
  const { publicUrl } = outputOf<Uploaded>(await adapter.call('upload', { path: inside }));
  expect((await download(publicUrl)).toString()).toBe('report');
});

test('a path together with bytes, neither of them, and invalid base64 are refused', async ({ machine }) => {
  const adapter = await machine.start();
  const wrong: Record<string, unknown>[] = [
    {},
    { path: '/etc/hostname', base64: 'aGVsbG8=' },
    { base64: 'not base64!' },
    { base64: '====' },
    { base64: 'aGVsbG8=', mime: 'nonsense' },
    { base64: 'aGVsbG8=', tags: 'house' },
    { base64: 'aGVsbG8=', color: 'red' },
  ];
  for (const args of wrong) {
    const failure = failureOf(await adapter.call('upload', args));
    expect(failure, JSON.stringify(args)).toMatchObject({ code: 'invalid_input', payment: 'none' });
    expect(failure.issues?.length, JSON.stringify(args)).toBeGreaterThan(0);
  }
  expect(machine.proxy.requests).toEqual([]);
});
