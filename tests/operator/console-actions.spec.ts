import { accountWith, balanceIn, buySlotFrom } from '../support/accounts';
import { formTokenIn, sendToConsole, signInToConsole } from '../support/console';
import { sql } from '../support/database';
import { buyForm, type CreatedForm, postPage } from '../support/forms';
import { newEvmPayer } from '../support/payers';
import { stack } from '../support/stack';
import { signingFetch } from '../support/wallet-sign-in';
import { expect, test } from '../support/without-browser';

/** What an operator does in the console, all of which must be in the log. */

let cookie: string;
let form: string;

test.beforeAll(async () => {
  cookie = await signInToConsole();
  form = await formTokenIn(await sendToConsole('/operator/system', { cookie }));
});

const get = async (path: string) => (await sendToConsole(path, { cookie })).text();

const post = (path: string, fields: Readonly<Record<string, string>>) =>
  sendToConsole(path, { cookie, fields: { form, ...fields } });

async function actionsAbout(target: string) {
  return sql<{ action: string; reason: string | null; note: string | null }>(
    'SELECT action, reason, note FROM operator_action WHERE target_id = $1 ORDER BY id',
    [target],
  );
}

const reported = {
  title: 'Claim your parcel',
  questions: [{ id: 'a', type: 'text', label: 'Which parcel do you mean' }],
};

async function reportForm({ id, url }: CreatedForm): Promise<string> {
  await postPage(`${url}/report`, { reason: 'pretends', details: 'They are not the post office.' });
  const [row] = await sql<{ id: string }>('SELECT id FROM abuse_report WHERE target_id = $1', [id]);
  return row?.id ?? '';
}

test('the console shows texts of callers and reporters only on request, and logs each view', async () => {
  const bought = await buyForm(reported);
  const report = await reportForm(bought);
  const page = `/operator/forms/${bought.id}`;
  for (const path of ['/operator', '/operator/reports', '/operator/worklist', '/operator/calls', page]) {
    const html = await get(path);
    expect(html, path).not.toContain('Which parcel');
    expect(html, path).not.toContain('post office');
    // Its title tells reports apart.
    if (path !== '/operator/reports') expect(html, path).not.toContain('parcel');
    else expect(html).toMatch(/Claim your parcel<[\s\S]*Pretends to be somebody else/);
  }
  expect(await actionsAbout(bought.id)).toEqual([]);
  expect(await (await post(page, { step: 'show' })).text()).toContain('Which parcel do you mean');
  expect(await actionsAbout(bought.id)).toEqual([{ action: 'content.show', reason: null, note: null }]);
  const shown = await post('/operator/reports', { report, step: 'show' });
  expect(await shown.text()).toContain('They are not the post office.');
  expect(await actionsAbout(report)).toEqual([{ action: 'content.show', reason: null, note: null }]);
});

test('the console shows what a payer wrote about a refund only on request, logs each view, and declines it with an answer', async () => {
  const wallet = await newEvmPayer();
  await buyForm(reported, wallet);
  const [{ id } = { id: '' }] = await sql<{ id: string }>('SELECT id FROM paid_call WHERE payer = $1', [
    wallet.address,
  ]);
  const requested = await signingFetch(wallet)(`${stack().apiUrl}/v1/paid-calls/${id}/refund-request`, {
    method: 'POST',
    body: JSON.stringify({ reason: 'duplicate', message: 'I bought it twice.' }),
  });
  expect(requested.status).toBe(200);
  const page = `/operator/calls/${id}/decline`;
  for (const path of [page, `/operator/calls/${id}`, '/operator/worklist'])
    expect(await get(path), path).not.toContain('bought it twice');
  expect(await actionsAbout(id)).toEqual([]);
  const read = { action: 'refund.read', reason: null, note: null };
  for (const looks of [[read], [read, read]]) {
    expect(await (await post(page, { step: 'show' })).text()).toContain('I bought it twice.');
    expect(await actionsAbout(id)).toEqual(looks);
  }
  expect(await get(`/operator/calls/${id}`)).toContain('read the payer’s message about a refund of');
  expect((await post(page, { note: ' ' })).status).toBe(400);
  expect((await post(page, { note: 'You bought it once.' })).status).toBe(303);
  expect(await (await post(page, { step: 'show' })).text()).not.toContain('bought it twice');
  const declined = { action: 'refund.decline', reason: null, note: 'You bought it once.' };
  expect(await actionsAbout(id)).toEqual([read, read, declined]);
});

test('a form is taken down with a reason and restored, and the log has both', async () => {
  const bought = await buyForm(reported);
  const page = `/operator/forms/${bought.id}`;
  const statusOf = async () => (await fetch(bought.url)).status;
  for (const fields of [
    { reason: 'phishing', note: '' },
    { reason: 'nonsense', note: 'why' },
  ])
    expect((await post(page, { step: 'take-down', ...fields })).status).toBe(400);
  expect(await statusOf()).toBe(200);
  const down = await post(page, { step: 'take-down', reason: 'phishing', note: 'It asks for a PIN.' });
  expect([down.status, await statusOf()]).toEqual([303, 410]);
  expect((await post(page, { step: 'take-down', reason: 'phishing', note: 'Again.' })).status).toBe(409);
  expect((await post(page, { step: 'restore', note: 'It was a test.' })).status).toBe(303);
  expect(await statusOf()).toBe(200);
  expect(await actionsAbout(bought.id)).toEqual([
    { action: 'content.take_down', reason: 'phishing', note: 'It asks for a PIN.' },
    { action: 'content.restore', reason: null, note: 'It was a test.' },
  ]);
});

test('an operator erases content that is taken down from its page, it is never public in between, and the log records it', async () => {
  const bought = await buyForm(reported);
  const page = `/operator/forms/${bought.id}`;
  expect((await post(page, { step: 'erase' })).status, 'it is public').toBe(409);
  expect(await get(page)).not.toContain('Erase it now</button>');
  await post(page, { step: 'take-down', reason: 'phishing', note: 'It asks for a PIN.' });
  expect(await get(page)).toContain('Erase it now</button>');
  expect((await post(page, { step: 'erase', note: 'It names a child.' })).status).toBe(303);
  expect((await fetch(bought.url)).status).toBe(410);
  const shown = await get(page);
  expect(shown).toContain('taken down and erased');
  expect(shown).not.toContain('Restore it');
  for (const step of ['erase', 'restore'])
    expect((await post(page, { step, note: 'Again.' })).status, step).toBe(409);
  expect(await actionsAbout(bought.id)).toEqual([
    { action: 'content.take_down', reason: 'phishing', note: 'It asks for a PIN.' },
    { action: 'content.erase', reason: null, note: 'It names a child.' },
  ]);
});

test('a report is closed with a note', async () => {
  const bought = await buyForm(reported);
  const report = await reportForm(bought);
  const without = await post('/operator/reports', { report, note: '' });
  expect(without.status).toBe(400);
  expect(await without.text()).toContain(`href="#note-${report}"`);
  expect((await post('/operator/reports', { report, note: 'It is their own form.' })).status).toBe(303);
  expect(await get('/operator/reports')).not.toContain(report);
  expect((await post('/operator/reports', { report, note: 'Again.' })).status).toBe(404);
  expect(await actionsAbout(report)).toEqual([
    { action: 'report.dismiss', reason: null, note: 'It is their own form.' },
  ]);
});

test('a note needs words and a call', async () => {
  const none = '/operator/calls/pc_000000000000000000000000';
  expect((await post(none, { note: 'Hello.' })).status).toBe(404);
  expect(await actionsAbout('pc_000000000000000000000000')).toEqual([]);
});

test('a refund takes two steps, repeats what it does, happens once, and is logged', async () => {
  const account = await accountWith('1');
  const slot = await buySlotFrom(account);
  const id = slot.headers.get('paid-call-id') ?? '';
  const before = await balanceIn(account);
  const path = `/operator/calls/${id}/refund`;
  const order = {
    method: 'account',
    accountId: account.accountId,
    reason: 'requested_by_caller',
    note: 'They asked.',
  };
  const refusals: [Readonly<Record<string, string>>, number][] = [
    [{ ...order, step: 'review', reason: '' }, 400],
    [{ ...order, step: 'review', accountId: '' }, 400],
    [{ ...order, step: 'review', reason: 'not_delivered' }, 409],
    [{ ...order, step: 'review', accountId: 'acct_000000000000000000000000' }, 409],
    [{ ...order, step: 'other' }, 400],
  ];
  for (const [fields, status] of refusals)
    expect((await post(path, fields)).status, JSON.stringify(fields)).toBe(status);
  const review = await post(path, { ...order, step: 'review' });
  const html = await review.text();
  expect(review.status).toBe(200);
  for (const repeated of ['0.005 USDC', account.accountId, 'Requested by caller', 'They asked.'])
    expect(html).toContain(repeated);
  expect(await balanceIn(account)).toBe(before);
  const sent = await Promise.all([1, 2, 3].map(() => post(path, { ...order, step: 'confirm' })));
  expect(sent.map(({ status }) => status).sort()).toEqual([303, 409, 409]);
  expect(await balanceIn(account)).toBe('1');
  const [row] = await sql<{ state: string }>('SELECT state FROM paid_call WHERE id = $1', [id]);
  expect(row?.state).toBe('refunded');
  expect(await actionsAbout(id)).toEqual([
    { action: 'refund.request', reason: 'requested_by_caller', note: 'They asked.' },
  ]);
  expect(await get(`/operator/calls/${id}`)).toContain('confirmed');
});

test('the calls that fit the filters are saved as CSV, and the log has who did it', async () => {
  const account = await accountWith('1');
  const { id } = await (await buySlotFrom(account)).json();
  const [call] = await sql<{ id: string }>('SELECT paid_call_id AS id FROM upload WHERE id = $1', [id]);
  const query = `payer=${account.accountId}&operation=uploads.create`;
  const list = await get(`/operator/calls?${query}&state=&limit=1`);
  expect(list).toContain(`href="/operator/calls/csv?${query.replace('&', '&amp;')}"`);
  const saved = await sendToConsole(`/operator/calls/csv?${query}`, { cookie });
  expect(saved.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(saved.headers.get('content-disposition')).toMatch(
    /^attachment; filename="calls-\d{4}-\d\d-\d\d\.csv"$/,
  );
  const [columns, row, ...rest] = (await saved.text()).split('\r\n');
  expect(columns).toMatch(/^id,createdAt,state,reason,operation,/);
  expect(row).toContain(`${call?.id},`);
  expect(row).toContain(`,delivered,,uploads.create,account,account,${account.accountId},`);
  expect(rest).toEqual(['']);
  const [logged] = await sql<{ actor: string; after: object }>(
    "SELECT actor, after FROM operator_action WHERE action = 'records.export' ORDER BY id DESC LIMIT 1",
  );
  expect(logged).toMatchObject({
    actor: expect.stringMatching(/^console:/),
    after: { payer: account.accountId, operation: 'uploads.create' },
  });
  // The page explains an invalid filter, and only an operator gets a file.
  const wrong = await sendToConsole('/operator/calls/csv?from=yesterday', { cookie });
  expect([wrong.status, wrong.headers.get('location')]).toEqual([303, '/operator/calls?from=yesterday']);
  const stranger = await sendToConsole(`/operator/calls/csv?${query}`);
  expect([stranger.status, stranger.headers.get('location')]).toEqual([
    303,
    `/operator/login?next=${encodeURIComponent(`/operator/calls/csv?${query}`)}`,
  ]);
});
