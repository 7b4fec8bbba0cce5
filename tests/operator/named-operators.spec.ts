import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { cookieOf, enterToken, formTokenIn, sendToConsole } from '../support/console';
import { type ConsoleLedger, fillConsoleLedger } from '../support/console-ledger';
import { askMetrics } from '../support/metrics';
import { migratedDatabase } from '../support/new-database';
import { runOperatorProgram } from '../support/operator-program';
import { startServer, type TestServer } from '../support/server';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

/** Several operators, each with a name, a token and a role. */

const people = { ada: 'full', mo: 'moderate', rita: 'read' } as const;
type Person = keyof typeof people;

const tokens = Object.fromEntries(
  Object.keys(people).map((name) => [name, randomBytes(18).toString('base64url')]),
) as Record<Person, string>;
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
const listed = (...names: Person[]) =>
  names.map((name) => `${name}:${people[name]}:${hashOf(tokens[name])}`).join(',');
const metricsToken = randomBytes(18).toString('base64url');

let server: TestServer;
let ledger: pg.Pool;
let drop: () => Promise<void>;
let ids: ConsoleLedger;
let settings: Record<string, string>;

test.beforeAll(async () => {
  const database = await migratedDatabase();
  ledger = new pg.Pool({ connectionString: database.url, max: 1 });
  drop = database.drop;
  ids = await fillConsoleLedger(ledger);
  settings = {
    ...stack().serverEnv,
    DATABASE_URL: database.url,
    TRUSTED_PROXIES: '1',
    OPERATOR_TOKEN: '',
    OPERATORS: listed('ada', 'mo', 'rita'),
    METRICS_TOKEN: metricsToken,
  };
  server = await startServer(settings);
});

test.afterAll(async () => {
  await server.stop();
  await ledger.end();
  await drop();
});

async function signIn(person: Person, at: TestServer = server): Promise<string> {
  const answer = await enterToken(tokens[person], {}, at);
  expect(answer.status, person).toBe(303);
  return cookieOf(answer);
}

const actions = async () => {
  const { rows } = await ledger.query('SELECT actor, action, target_id FROM operator_action ORDER BY id');
  return rows as { actor: string; action: string; target_id: string | null }[];
};

/** A console as one person sees it. */
async function consoleOf(person: Person) {
  const cookie = await signIn(person);
  const get = (at: string) => sendToConsole(at, { cookie }, server);
  const form = await formTokenIn(await get('/operator'));
  const post = (at: string, fields: Readonly<Record<string, string>>) =>
    sendToConsole(at, { cookie, fields: { form, ...fields } }, server);
  return { cookie, get, post };
}

/** Every path of the console that takes a post of somebody who is signed in, with ids that exist. */
function postPaths(): string[] {
  const folder = 'app/operator';
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name === 'route.ts')
    .filter(({ parentPath }) => /POST:/.test(readFileSync(path.join(parentPath, 'route.ts'), 'utf8')))
    .map(({ parentPath }) => `/${path.relative('app', parentPath)}`)
    .filter((one) => !/\/log(in|out)$/.test(one))
    .map((one) => one.replace('[id]', one.includes('/calls/') ? ids.needsAttention : 'fm_none'));
}

test('somebody who may only read sees every page, and no post of theirs does anything', async () => {
  const rita = await consoleOf('rita');
  for (const at of [
    '',
    '/worklist',
    '/calls',
    '/wallets',
    '/channels',
    '/system',
    '/reports',
    '/log',
    '/transfers',
  ])
    expect((await rita.get(`/operator${at}`)).status, at).toBe(200);
  const call = await (await rita.get(`/operator/calls/${ids.needsAttention}`)).text();
  expect(call).not.toMatch(/Add the note|>Refund/);
  for (const at of ['refund', 'refund/wallet', 'keep'])
    expect((await rita.get(`/operator/calls/${ids.needsAttention}/${at}`)).status, at).toBe(403);

  const before = await actions();
  const paths = postPaths();
  expect(paths.length).toBeGreaterThan(6);
  for (const at of paths) {
    for (const step of ['show', 'take-down', 'erase', 'restore', 'review', 'confirm', 'cancel', '']) {
      const refused = await rita.post(at, { step, note: 'Because.', reason: 'other', method: 'account' });
      expect(refused.status, `${at} ${step}`).toBe(403);
      expect(await refused.text(), at).toContain('Nothing was done.');
    }
  }
  expect(await actions()).toEqual(before);
});

test('somebody who moderates adds notes and decides about content, and moves no money', async () => {
  const mo = await consoleOf('mo');
  const page = `/operator/calls/${ids.needsAttention}`;
  expect((await mo.post(page, { note: 'The caller wrote to us.' })).status).toBe(303);
  expect(await actions()).toContainEqual({
    actor: 'console:mo',
    action: 'call.note',
    target_id: ids.needsAttention,
  });
  expect((await mo.get(page)).status).toBe(200);
  for (const at of ['/refund', '/refund/wallet', '/keep']) {
    const refused = await mo.post(page + at, {
      step: 'confirm',
      method: 'account',
      accountId: 'acct_1',
      note: 'x',
    });
    expect([at, refused.status]).toEqual([at, 403]);
  }
  expect(
    (await mo.post('/operator/transfers', { network: 'base', transaction: '0x1', note: 'x' })).status,
  ).toBe(403);
  // It is not known, which is another answer than that of somebody who may not ask.
  expect((await mo.post('/operator/forms/fm_none', { step: 'show' })).status).not.toBe(403);
});

test('every page says who is signed in, and the log says who did what', async () => {
  for (const person of ['ada', 'mo', 'rita'] as const) {
    const { get } = await consoleOf(person);
    expect(await (await get('/operator/log')).text()).toContain(`Signed in as ${person}`);
  }
  const ada = await consoleOf('ada');
  await ada.post(`/operator/calls/${ids.needsAttention}`, { note: 'A note of Ada.' });
  const mine = await (await ada.get('/operator/log?actor=console:ada')).text();
  expect(mine).toContain('A note of Ada.');
  expect(mine).not.toContain('console:mo');
  const signedIn = (await actions()).filter(({ action }) => action === 'console.sign_in');
  expect(new Set(signedIn.map(({ actor }) => actor))).toEqual(
    new Set(['console:ada', 'console:mo', 'console:rita']),
  );
});

test('an operator who is removed, or has another role or token, has no session with the old one', async () => {
  const [ada, mo] = [await signIn('ada'), await signIn('mo')];
  const changed = await startServer({ ...settings, OPERATORS: listed('ada') });
  const isOpen = async (cookie: string, at: TestServer) =>
    (await sendToConsole('/operator', { cookie }, at)).status === 200;
  try {
    expect(await isOpen(ada, changed)).toBe(true);
    expect(await isOpen(mo, changed)).toBe(false);
    expect((await enterToken(tokens.mo, {}, changed)).status).toBe(403);
  } finally {
    await changed.stop();
  }
  const renamed = await startServer({
    ...settings,
    OPERATORS: `ada:read:${hashOf(tokens.ada)},moritz:moderate:${hashOf(tokens.mo)}`,
  });
  try {
    // The same session has the new role at once.
    expect(await isOpen(ada, renamed)).toBe(true);
    const keep = `/operator/calls/${ids.needsAttention}/keep`;
    expect((await sendToConsole(keep, { cookie: ada }, renamed)).status).toBe(403);
    expect(await isOpen(mo, renamed)).toBe(false);
  } finally {
    await renamed.stop();
  }
});

test('signing out ends the session of this operator alone', async () => {
  const [ada, rita] = [await consoleOf('ada'), await consoleOf('rita')];
  expect((await ada.post('/operator/logout', {})).status).toBe(303);
  expect((await ada.get('/operator')).status).toBe(303);
  expect((await rita.get('/operator')).status).toBe(200);
});

test('the metrics have a token of their own, and no token of an operator opens them', async () => {
  expect((await askMetrics(server.apiUrl, `Bearer ${metricsToken}`)).status).toBe(200);
  expect((await askMetrics(server.apiUrl, `Bearer ${tokens.ada}`)).status).toBe(401);
  expect((await enterToken(metricsToken, {}, server)).status).toBe(403);
  const both = await startServer({ ...settings, OPERATOR_TOKEN: 'a-token-that-is-shared' });
  try {
    expect((await askMetrics(both.apiUrl, 'Bearer a-token-that-is-shared')).status).toBe(401);
    const shared = await enterToken('a-token-that-is-shared', {}, both);
    expect(shared.status).toBe(303);
    const page = await sendToConsole('/operator', { cookie: cookieOf(shared) }, both);
    expect(await page.text()).toContain('Signed in with OPERATOR_TOKEN');
  } finally {
    await both.stop();
  }
  expect(server.output()).not.toMatch(new RegExp([metricsToken, ...Object.values(tokens)].join('|')));
});

test('the program records the operator that it is told beside the user of the machine', async () => {
  const env = { ...settings, PUBLIC_URL: stack().apiUrl, FILES_URL: stack().filesUrl };
  const noted = await runOperatorProgram(
    env,
    ...['receipt', 'revoke', 'unknown', '--note', 'A test.', '--operator', 'not a name'],
  );
  expect(noted).toMatchObject({ exitCode: 2, errors: expect.stringContaining('--operator') });
  const span = ['--from', '2026-11-01', '--to', '2026-11-02'];
  expect((await runOperatorProgram(env, 'export', ...span, '--operator', 'ada')).exitCode).toBe(0);
  expect(await actions()).toContainEqual({
    actor: expect.stringMatching(/^cli:ada as .+@.+$/),
    action: 'records.export',
    target_id: null,
  });
});
