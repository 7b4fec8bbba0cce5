import { createHmac, randomBytes } from 'node:crypto';
import {
  cookieOf,
  enterToken,
  formTokenIn,
  operatorToken,
  sendToConsole,
  sessionIdOf,
  signInToConsole,
} from '../support/console';
import { sql } from '../support/database';
import { migratedDatabase } from '../support/new-database';
import { startServer } from '../support/server';
import { stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';

/** Who can sign in to the console, and for how long. */

const isOpen = async (cookie: string) => (await sendToConsole('/operator', { cookie })).status === 200;

async function newestActionId(): Promise<bigint> {
  const [row] = await sql<{ id: string }>('SELECT COALESCE(max(id), 0) AS id FROM operator_action');
  return BigInt(row?.id ?? 0);
}

test('the token opens a session, in a cookie that only this site gets, and the log has it', async () => {
  const before = await newestActionId();
  const answer = await enterToken(operatorToken(), { next: '/operator/worklist' });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/operator/worklist']);
  expect(answer.headers.get('set-cookie')).toMatch(
    /^operator=[0-9A-Za-z]{32}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
  const page = await sendToConsole('/operator', { cookie: cookieOf(answer) });
  expect(page.status).toBe(200);
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'cache-control': 'private, no-store',
    'x-robots-tag': 'noindex, nofollow',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
  const actions = await sql(
    `SELECT action, address FROM operator_action WHERE id > $1 AND action = 'console.sign_in'`,
    [before],
  );
  expect(actions).toContainEqual({ action: 'console.sign_in', address: '192.0.2.7' });
});

test('neither the key of a session nor the token is in the database', async () => {
  const key = (await signInToConsole()).replace('operator=', '');
  const rows = JSON.stringify(await sql('SELECT * FROM operator_session'));
  expect(rows).not.toContain(key);
  expect(rows).not.toContain(operatorToken());
});

test('a wrong token opens nothing, and the page says so', async () => {
  for (const token of ['', 'wrong', `${operatorToken()}x`, operatorToken().slice(1)]) {
    const answer = await enterToken(token);
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
    expect(await answer.text()).toContain('Wrong token');
  }
});

test('signing in leads only to pages of the console', async () => {
  for (const next of [
    '//evil.example',
    'https://evil.example/operator',
    '/operatorx',
    '/operator/login',
    '/operator/log/../login',
    '/operator/../f/x',
    '/operator/%2e%2e/v1',
    '/operator/%2E./v1',
    '/operator\\..\\v1',
    '/operator/..//evil.example',
    '/operator/../\\evil.example',
    'http://',
    '/v1',
  ]) {
    expect((await enterToken(operatorToken(), { next })).headers.get('location'), next).toBe('/operator');
  }
  const next = '/operator/calls/../log?actor=me';
  expect((await enterToken(operatorToken(), { next })).headers.get('location')).toBe(
    '/operator/log?actor=me',
  );
});

test('the sign-in page has nothing that tells whether a guess of the operator token is right', async () => {
  const key = 'A'.repeat(32);
  const cookie = `operator-sign-in=${key}`;
  const page = await sendToConsole('/operator/login', { cookie });
  const form = await formTokenIn(page.clone());
  const html = await page.text();
  for (const text of [key, `form\0${key}`, `session\0${key}`, `sign-in\0${key}`]) {
    expect(html).not.toContain(createHmac('sha256', operatorToken()).update(text).digest('hex'));
  }
  const signedIn = await sendToConsole('/operator/login', {
    cookie,
    fields: { form, token: operatorToken() },
  });
  expect(signedIn.status).toBe(303);
});

test('a sign-in form that was open when DATA_KEY was rotated is accepted', fullOnly, async () => {
  const page = await sendToConsole('/operator/login');
  const fields = { form: await formTokenIn(page), token: operatorToken() };
  const database = await migratedDatabase();
  const { serverEnv } = stack();
  const keys = `${randomBytes(32).toString('base64')},${serverEnv.DATA_KEY}`;
  const rotated = await startServer({ ...serverEnv, DATABASE_URL: database.url, DATA_KEY: keys });
  try {
    const answer = await sendToConsole('/operator/login', { cookie: cookieOf(page), fields }, rotated);
    expect(answer.status).toBe(303);
  } finally {
    await rotated.stop();
    await database.drop();
  }
});

test('a post from another site, or without the field of its session, does nothing', async () => {
  const cookie = await signInToConsole();
  const form = await formTokenIn(await sendToConsole('/operator', { cookie }));
  const other = await formTokenIn(await sendToConsole('/operator', { cookie: await signInToConsole() }));
  const refused: [string, Parameters<typeof sendToConsole>[1]][] = [
    ['no field', { cookie, fields: {} }],
    ['a wrong field', { cookie, fields: { form: 'f'.repeat(64) } }],
    ['the field of another session', { cookie, fields: { form: other } }],
    ['another site', { cookie, fields: { form }, headers: { 'Sec-Fetch-Site': 'cross-site' } }],
    ['the files origin', { cookie, fields: { form }, headers: { 'Sec-Fetch-Site': 'same-site' } }],
    ['another origin', { cookie, fields: { form }, headers: { Origin: stack().filesUrl } }],
    ['an opaque origin', { cookie, fields: { form }, headers: { Origin: 'null' } }],
    ['no session', { fields: { form } }],
  ];
  for (const [what, sent] of refused) {
    expect((await sendToConsole('/operator/logout', sent)).status, what).toBe(403);
  }
  const unknown = { method: 'POST', headers: { Cookie: cookie }, body: new URLSearchParams({ form }) };
  expect((await fetch(`${stack().apiUrl}/operator/logout`, unknown)).status, 'an unknown sender').toBe(403);
  expect(await isOpen(cookie)).toBe(true);
  const signInWithout = await sendToConsole('/operator/login', { fields: { token: operatorToken() } });
  expect([signInWithout.status, signInWithout.headers.get('set-cookie')]).toEqual([403, null]);
});

test('a link from another site does not end the session, and leads on', async () => {
  const page = await sendToConsole('/operator/login?next=/operator/log', {
    headers: { 'Sec-Fetch-Site': 'cross-site' },
  });
  expect(page.headers.get('set-cookie')).not.toMatch(/^operator=/);
  expect(await page.text()).toContain('<a href="/operator/log">open the page</a>');
});

test('signing out ends the session for every copy of its cookie, and the log has it', async () => {
  const before = await newestActionId();
  const cookie = await signInToConsole();
  const form = await formTokenIn(await sendToConsole('/operator', { cookie }));
  const answer = await sendToConsole('/operator/logout', { cookie, fields: { form } });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/operator/login']);
  expect(await isOpen(cookie)).toBe(false);
  const again = await sendToConsole('/operator/logout', { cookie, fields: { form } });
  expect([again.status, await again.text()]).toEqual([403, expect.stringContaining('Sign in again')]);
  const [row] = await sql<{ count: string }>(
    `SELECT count(*) FROM operator_action WHERE id > $1 AND action = 'console.sign_out'`,
    [before],
  );
  expect(Number(row?.count)).toBe(1);
});

test('a session ends half an hour after its last request, and after twelve hours in any case', async () => {
  for (const [column, ago] of [
    ['seen_at', '31 minutes'],
    ['started_at', '12 hours'],
  ] as const) {
    const cookie = await signInToConsole();
    expect(await isOpen(cookie)).toBe(true);
    const moved = await sql(
      `UPDATE operator_session SET ${column} = now() - $2::interval WHERE id = $1 RETURNING id`,
      [sessionIdOf(cookie), ago],
    );
    expect(moved).toHaveLength(1);
    const answer = await sendToConsole('/operator/log?actor=me', { cookie });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/operator/login?next=%2Foperator%2Flog%3Factor%3Dme',
    ]);
  }
});

test('requests keep a session alive', async () => {
  const cookie = await signInToConsole();
  const minutesAgo = async () => {
    const [row] = await sql<{ minutes: string }>(
      'SELECT EXTRACT(epoch FROM now() - seen_at) / 60 AS minutes FROM operator_session WHERE id = $1',
      [sessionIdOf(cookie)],
    );
    return Number(row?.minutes);
  };
  await sql(`UPDATE operator_session SET seen_at = now() - interval '29 minutes' WHERE id = $1`, [
    sessionIdOf(cookie),
  ]);
  expect(await minutesAgo()).toBeGreaterThan(28);
  expect(await isOpen(cookie)).toBe(true);
  expect(await minutesAgo()).toBeLessThan(5);
});

test(
  'behind HTTPS the cookie is for this host and HTTPS alone; many wrong tokens are refused, but never the right one',
  fullOnly,
  async () => {
    const origin = 'https://console.example';
    const server = await startServer({
      ...stack().serverEnv,
      PUBLIC_URL: origin,
      TRUSTED_PROXIES: '1',
      RATE_LIMIT_FACTOR: '0.1',
    });
    const at = { apiUrl: server.apiUrl, origin };
    try {
      const guess = () => enterToken('wrong', {}, at);
      expect([(await guess()).status, (await guess()).status, (await guess()).status]).toEqual([
        403, 403, 403,
      ]);
      const refused = await guess();
      expect([refused.status, refused.headers.get('set-cookie')]).toEqual([429, null]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const answer = await enterToken(operatorToken(), {}, at);
      expect(answer.headers.get('set-cookie')).toMatch(
        /^__Host-operator=[0-9A-Za-z]{32}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
      );
    } finally {
      await server.stop();
    }
  },
);

test('a new token ends every session, and without a token there is no console', fullOnly, async () => {
  const cookie = await signInToConsole();
  const changed = await startServer({
    ...stack().serverEnv,
    OPERATOR_TOKEN: 'another-token-of-the-operator',
  });
  try {
    expect((await sendToConsole('/operator', { cookie }, changed)).status).toBe(303);
  } finally {
    await changed.stop();
  }
  const without = await startServer({ ...stack().serverEnv, OPERATOR_TOKEN: '' });
  try {
    for (const path of ['/operator', '/operator/login', '/operator/worklist', '/operator/log']) {
      expect((await sendToConsole(path, { cookie }, without)).status, path).toBe(404);
    }
    const posted = await sendToConsole('/operator/login', { fields: { token: '' } }, without);
    expect(posted.status).toBe(404);
  } finally {
    await without.stop();
  }
});

test('the files origin has no console', async () => {
  const answer = await sendToConsole('/operator/login', {}, { apiUrl: stack().filesUrl });
  expect(answer.status).toBe(404);
  expect(await answer.text()).not.toContain('token');
});
