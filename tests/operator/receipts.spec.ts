import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type App, createApp } from '@/lib/app';
import { digestOfAnswer, digestOfRequest } from '@/lib/payments/receipts/receipt';
import { askApp } from '../support/ask-app';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { runOperatorProgram } from '../support/operator-program';
import { testPlatform } from '../support/platform';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

/** The keys that sign receipts, from first use to revocation. Each test continues where the previous one ended. */
test.describe.configure({ mode: 'serial' });

const [firstKey, secondKey] = [0, 1].map(() => randomBytes(32).toString('base64'));
const request = '{"query":"bonn"}\n';
const answer = '{"airports":[]}';

let database: NewDatabase;
let folder: string;
const apps: App[] = [];
const receipts: string[] = [];

test.beforeAll(async () => {
  database = await migratedDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'tuppence-receipts-'));
  await writeFile(path.join(folder, 'request.json'), request);
  await writeFile(path.join(folder, 'answer.json'), answer);
});
test.afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()));
  await database.drop();
  await rm(folder, { recursive: true });
});

/** A server with these DATA_KEYs. */
function startApp(dataKey: string): App {
  const { settings, log } = testPlatform({ DATABASE_URL: database.url, DATA_KEY: dataKey });
  const app = createApp({ settings, log });
  apps.push(app);
  return app;
}

const issue = ({ receipts: issuer }: App) =>
  issuer.issueReceipt({
    version: 1,
    network: 'eip155:8453',
    resourceUrl: 'https://api.example.com/v1/airports/search',
    payer: '0x1',
    issuedAt: 1_800_000_000,
    transaction: '0x2',
    operation: 'airports.search',
    paidCallId: 'pc_1',
    amount: '1000',
    asset: '0x3',
    payTo: '0x4',
    requestDigest: digestOfRequest('POST', '/v1/airports/search', Buffer.from(request)).toString('hex'),
    answerStatus: 200,
    answerDigest: digestOfAnswer(answer).toString('hex'),
  });

const tuppence = (...args: string[]) =>
  runOperatorProgram(
    {
      ...stack().serverEnv,
      DATABASE_URL: database.url,
      PUBLIC_URL: 'https://api.example.com',
      FILES_URL: 'https://files.example.net',
    },
    'receipt',
    ...args,
  );

const published = async (app: App) => {
  const { body } = await askApp(app, new Request('https://api.example.com/.well-known/did.json'));
  const { verificationMethod } = JSON.parse(String(body)) as { verificationMethod: { id: string }[] };
  return verificationMethod.map(({ id }) => id);
};

const [inOrder, ofRequest, ofAnswer] = [
  ['--path', '/v1/airports/search'],
  () => ['--request', path.join(folder, 'request.json')],
  () => ['--answer', path.join(folder, 'answer.json')],
] as const;

test('the program verifies a receipt with its request and its answer', async () => {
  receipts.push((await issue(startApp(firstKey ?? ''))) ?? '');
  const [receipt = ''] = receipts;
  const run = await tuppence('verify', receipt, ...inOrder, ...ofRequest(), ...ofAnswer());
  expect(run).toMatchObject({ exitCode: 0, errors: '' });
  expect(run.output).toContain('The request is the one that it was issued for.');
  expect(run.output).toContain('The answer is the one that it was issued for.');
  expect(await tuppence('verify', receipt)).toMatchObject({ exitCode: 0 });
});

test('with another request, or changed, it exits with 1', async () => {
  const [receipt = ''] = receipts;
  const run = await tuppence('verify', receipt, '--path', '/v1/uploads', ...ofRequest(), ...ofAnswer());
  expect(run.exitCode).toBe(1);
  expect(run.output).toContain('The request is NOT the one');
  const changed = await tuppence('verify', `${receipt.slice(0, -4)}AAAA`, '--json');
  expect(changed.exitCode).toBe(1);
  expect(JSON.parse(changed.output)).toEqual({ isValid: false, problem: 'wrong_signature' });
});

test('arguments that make no sense are named, with exit code 2', async () => {
  for (const [args, words] of [
    [['verify'], '--subject: verify takes one receipt'],
    [['verify', 'x', '--request', 'file'], '--request: needs --path'],
    [['revoke', 'x'], '--note: is required with revoke'],
    [['sell'], '--action: must be verify, keys or revoke'],
  ] as const) {
    const run = await tuppence(...args);
    expect([run.exitCode, run.errors]).toEqual([2, expect.stringContaining(words)]);
  }
});

test('after DATA_KEY has changed, a new key signs, and the old one stays published', async () => {
  const rotated = startApp([secondKey, firstKey].join(','));
  receipts.push((await issue(rotated)) ?? '');
  const keys = await published(rotated);
  expect(keys).toHaveLength(2);
  for (const id of keys)
    expect(id).toMatch(/^did:web:api\.example\.com#receipts-\d{4}-\d\d-\d\d-[0-9a-f]{8}$/);
  for (const receipt of receipts) expect((await tuppence('verify', receipt)).exitCode).toBe(0);
});

test('a revoked key is not published, verifies nothing, and signs nothing; the revocation is logged', async () => {
  const listed = await tuppence('keys', '--json');
  const [newest] = listed.output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const run = await tuppence('revoke', newest.id, '--note', 'the backup with DATA_KEY was lost');
  expect(run).toMatchObject({ exitCode: 0, output: `${newest.id} is revoked.\n` });
  expect((await tuppence('revoke', newest.id, '--note', 'again')).exitCode).toBe(1);

  const [older, newer] = receipts;
  expect((await tuppence('verify', older ?? '')).exitCode).toBe(0);
  expect((await tuppence('verify', newer ?? '', '--json')).output).toContain('unknown_key');
  const restarted = startApp([secondKey, firstKey].join(','));
  expect(await issue(restarted)).toBe(null);
  expect(await published(restarted)).toHaveLength(1);
  const actions = await restarted.db.operatorAction.findMany({
    select: { action: true, targetId: true, note: true },
  });
  expect(actions).toEqual([
    { action: 'receipt_key.revoke', targetId: newest.id, note: 'the backup with DATA_KEY was lost' },
  ]);
});
