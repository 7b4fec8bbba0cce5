import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { type App, createApp } from '@/lib/app';
import { actionFilters, listActions, type Operator } from '@/lib/operator/actions';
import { showContent, showReport } from '@/lib/operator/moderation/content';
import { dismissReport, erase, restore, takeDown } from '@/lib/operator/moderation/take-down';
import { newId } from '@/lib/platform/ids';
import { parseSettings } from '@/lib/platform/settings';
import { openReports } from '@/lib/services/abuse-reports';
import { eraseForms } from '@/lib/services/forms/erase';
import { expireUploads } from '@/lib/services/uploads/expire';
import { accountWith, asHolder, balanceIn, buySlotFrom } from '../support/accounts';
import { sql } from '../support/database';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { stampOfAge } from '../support/form-stamps';
import { buyForm, type CreatedForm, postPage, readResponses } from '../support/forms';
import { runOperatorProgram } from '../support/operator-program';
import { testPlatform } from '../support/platform';
import { stack } from '../support/stack';
import { putFile } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const question = {
  title: 'Lunch',
  questions: [{ type: 'text' as const, label: 'What will you eat?', id: 'meal' }],
};
const env = () => ({ ...stack().serverEnv, PUBLIC_URL: stack().apiUrl, FILES_URL: stack().filesUrl });
const tuppence = (...args: string[]) => runOperatorProgram(env(), ...args);
const why = ['--reason', 'phishing', '--note', 'It asks for seed phrases.'];

/** The operator's side, which looks like a separate process to the server. */
let app: App;
test.beforeAll(() => {
  app = createApp({ settings: parseSettings(env()), log: testPlatform().log });
});
test.afterAll(() => app.close());

const actor: Operator = { name: 'console:test', address: '192.0.2.1' };
const decision = () => ({ actor, note: 'A test.', correlationId: newId('op') });
const actionsOn = async (targetId: string) =>
  (await listActions(app, actionFilters.parse({ targetId }))).actions.map(({ action }) => action);

async function answer(form: CreatedForm, meal: string): Promise<void> {
  const sent = await postPage(form.url, { q_meal: meal, stamp: stampOfAge(form.id, 5_000) });
  expect(sent.status, await sent.text()).toBe(303);
}

/** An account's upload with its bytes. */
async function aLink() {
  const account = await accountWith('1');
  const { bytes, body } = aFile(300);
  const slot = await (await buySlotFrom(account, { body })).json();
  expect((await putFile(slot, bytes)).status).toBe(200);
  return { account, slot, bytes: Buffer.from(bytes) };
}

test('a form that is taken down is gone for everybody at once, and its owner is told why', async () => {
  const form = await buyForm(question);
  const dry = await tuppence('takedown', `${form.url}?from=mail`, ...why);
  expect(dry).toMatchObject({ exitCode: 0, output: expect.stringContaining('Nothing was changed') });
  expect((await fetch(form.url)).status).toBe(200);

  const waiting = readResponses(form, '?wait=60');
  const done = await tuppence('takedown', form.id, ...why, '--yes', '--json');
  expect(JSON.parse(done.output)).toMatchObject({
    outcome: 'done',
    content: { target: { kind: 'form', id: form.id }, url: form.url },
  });
  // The form's reader was waiting for responses.
  await expectError(await waiting, 'form_taken_down');
  await expectError(await readResponses(form), 'form_taken_down');
  await expectError(await readResponses({ ...form, readToken: 'wrong' }), 'read_token_wrong');
  for (const url of [form.url, `${form.url}/thanks`, `${form.url}/report`])
    expect((await fetch(url)).status, url).toBe(410);
  expect((await postPage(form.url, { q_meal: 'soup', stamp: stampOfAge(form.id, 5_000) })).status).toBe(410);
  expect(await sql('SELECT id FROM form_response WHERE form_id = $1', [form.id])).toEqual([]);

  const again = await tuppence('takedown', form.id, ...why, '--yes');
  expect(again).toMatchObject({ exitCode: 1, output: expect.stringContaining('already taken down') });
  const [row] = await sql('SELECT actor, reason, note FROM operator_action WHERE target_id = $1', [form.id]);
  expect(row).toEqual({
    actor: expect.stringMatching(/^cli:.+@.+$/),
    reason: 'phishing',
    note: 'It asks for seed phrases.',
  });
});

test('a form can be restored with its responses, until it is erased', async () => {
  const form = await buyForm(question);
  await answer(form, 'soup');
  const target = { kind: 'form', id: form.id } as const;
  expect(await restore(app, target, decision())).toBe(false);
  expect(await takeDown(app, target, { ...decision(), reason: 'other', isErased: false })).toBe(true);
  const restored = await tuppence('takedown', form.id, '--restore', '--note', 'A mistake.', '--yes');
  expect(restored).toMatchObject({ exitCode: 0, output: expect.stringContaining('It is restored.') });
  const { responses } = await (await readResponses(form)).json();
  expect(responses).toMatchObject([{ answers: { meal: 'soup' } }]);
  await answer(form, 'bread');

  expect(await takeDown(app, target, { ...decision(), reason: 'other', isErased: true })).toBe(true);
  expect(await restore(app, target, decision())).toBe(false);
  await expectError(await readResponses(form), 'form_taken_down');
  expect(await sql('SELECT content FROM form WHERE id = $1', [form.id])).toEqual([{ content: null }]);
  expect(await sql('SELECT id FROM form_response WHERE form_id = $1', [form.id])).toEqual([]);
  expect(await actionsOn(form.id)).toEqual(['content.take_down', 'content.restore', 'content.take_down']);
});

test('a file that is taken down is not served, and cannot be renewed; its owner is not charged', async () => {
  const { account, slot, bytes } = await aLink();
  const etag = (await fetch(slot.publicUrl)).headers.get('etag') ?? '';
  expect((await tuppence('takedown', slot.publicUrl, ...why, '--yes')).exitCode).toBe(0);
  await expectError(await fetch(slot.publicUrl), 'link_taken_down');
  // A browser must revalidate what it has cached.
  const requests: Record<string, string>[] = [{ 'If-None-Match': etag }, { Range: 'bytes=0-0' }];
  for (const headers of requests) expect((await fetch(slot.publicUrl, { headers })).status).toBe(410);
  expect((await putFile(slot, new Uint8Array(bytes))).status).toBe(410);

  const before = await balanceIn(account);
  const renew = await asHolder(account, 'POST', `/v1/account/uploads/${slot.id}/renew`, {
    key: randomUUID(),
  });
  await expectError(renew, 'upload_taken_down');
  expect(await balanceIn(account)).toBe(before);
  const { uploads } = await (await asHolder(account, 'GET', '/v1/account/uploads')).json();
  expect(uploads).toMatchObject([{ id: slot.id, takenDownAt: expect.stringMatching(/Z$/) }]);

  expect(await restore(app, { kind: 'upload', id: slot.id }, decision())).toBe(true);
  expect(Buffer.from(await (await fetch(slot.publicUrl)).arrayBuffer()).equals(bytes)).toBe(true);
});

test('a file is erased at once if its operator wants that', async () => {
  const { slot } = await aLink();
  const target = { kind: 'upload', id: slot.id } as const;
  expect(await takeDown(app, target, { ...decision(), reason: 'malware', isErased: true })).toBe(true);
  await expectError(await fetch(slot.publicUrl), 'link_taken_down');
  expect(await restore(app, target, decision())).toBe(false);
  expect(await showContent(app, target, decision())).toEqual({ kind: 'upload', bytes: null });
});

for (const kind of ['form', 'upload'] as const) {
  test(`taking down, restoring and erasing a ${kind} in every order leads where the program says`, async () => {
    const bought = async () =>
      kind === 'form' ? buyForm(question) : { ...(await aLink()).slot, responsesUrl: null };
    const { id, url = '', publicUrl = url } = await bought();
    const steps = {
      'take down': [...why],
      'take down and erase': [...why, '--erase'],
      restore: ['--restore', '--note', 'A mistake.'],
      erase: ['--erase'],
    } as const;
    const take = async (step: keyof typeof steps) => {
      const { exitCode, output } = await tuppence('takedown', id, ...steps[step], '--yes', '--json');
      return exitCode === 2 ? 'usage' : JSON.parse(output).outcome;
    };
    const linkStatus = async () => (await fetch(publicUrl)).status;
    const actions = async () => (await actionsOn(id)).reverse().filter((name) => name !== 'content.show');

    expect(await take('restore'), 'it is public').toBe('impossible');
    expect(await take('erase'), 'it is public, so a reason is needed').toBe('usage');
    expect(await linkStatus()).toBe(200);
    expect([await take('take down'), await linkStatus()]).toEqual(['done', 410]);
    expect(await take('take down')).toBe('impossible');
    expect([await take('restore'), await linkStatus()]).toEqual(['done', 200]);
    expect([await take('take down'), await linkStatus()]).toEqual(['done', 410]);
    const dry = await tuppence('takedown', id, '--erase');
    expect(dry).toMatchObject({ exitCode: 0, output: expect.stringContaining('It would be erased.') });
    expect(await isErased(kind, id)).toBe(false);
    expect([await take('erase'), await linkStatus()]).toEqual(['done', 410]);
    expect(await isErased(kind, id)).toBe(true);
    for (const step of Object.keys(steps) as (keyof typeof steps)[])
      expect([await take(step), await linkStatus()], `${step}, erased`).toEqual(['impossible', 410]);
    const again = await tuppence('takedown', id, '--erase', '--yes');
    expect(again).toMatchObject({ exitCode: 1, output: expect.stringContaining('It is already erased') });
    expect(await actions()).toEqual([
      'content.take_down',
      'content.restore',
      'content.take_down',
      'content.erase',
    ]);

    const other = await bought();
    const target = { kind, id: other.id } as const;
    expect(await erase(app, target, decision()), 'it is public').toBe(false);
    expect(await takeDown(app, target, { ...decision(), reason: 'other', isErased: false })).toBe(true);
    expect((await tuppence('takedown', other.id, ...why, '--erase', '--yes')).output).toContain(
      'It is erased.',
    );
    expect(await isErased(kind, other.id)).toBe(true);
    const [erased] = (
      await listActions(app, actionFilters.parse({ action: 'content.erase', targetId: other.id }))
    ).actions;
    expect(erased).toMatchObject({
      action: 'content.erase',
      reason: 'phishing',
      note: 'It asks for seed phrases.',
      before: { status: 'taken_down' },
      after: { status: 'erased' },
    });
  });
}

/** Whether nothing is stored of a form's content and responses, or of a file's bytes. */
async function isErased(kind: 'form' | 'upload', id: string): Promise<boolean> {
  const shown = await showContent(app, { kind, id }, { actor, correlationId: newId('op') });
  return (shown.kind === 'form' ? shown.form : shown.bytes) === null;
}

test('the jobs erase content seven days after it was taken down', async () => {
  const form = await buyForm(question);
  await answer(form, 'soup');
  const { slot } = await aLink();
  const targets = [
    { kind: 'form', id: form.id },
    { kind: 'upload', id: slot.id },
  ] as const;
  for (const target of targets)
    expect(await takeDown(app, target, { ...decision(), reason: 'other', isErased: false })).toBe(true);
  const rows = () =>
    sql(
      `SELECT (SELECT content IS NULL FROM form WHERE id = $1) AS form, (SELECT erased_at IS NOT NULL FROM upload WHERE id = $2) AS file,
         (SELECT count(*)::int FROM form_response WHERE form_id = $1) AS responses`,
      [form.id, slot.id],
    );
  // The uploads of other tests must not expire, so the time of the take-down is moved instead of the clock.
  const moveBack = async (days: number) => {
    const at = new Date(Date.now() - days * 86_400_000);
    await sql('UPDATE form SET taken_down_at = $2 WHERE id = $1', [form.id, at]);
    await sql('UPDATE upload SET taken_down_at = $2 WHERE id = $1', [slot.id, at]);
    await eraseForms(app, new Date());
    await expireUploads(app, new Date());
  };
  await moveBack(6.9);
  expect(await rows()).toEqual([{ form: false, file: false, responses: 1 }]);
  await moveBack(7.1);
  expect(await rows()).toEqual([{ form: true, file: true, responses: 0 }]);
  await expectError(await fetch(slot.publicUrl), 'link_taken_down');
  for (const target of targets) expect(await restore(app, target, decision())).toBe(false);
});

test('content is shown for moderation, and each look is recorded', async () => {
  const { slot, bytes } = await aLink();
  const shown = await showContent(app, { kind: 'upload', id: slot.id }, decision());
  if (shown.kind !== 'upload' || !shown.bytes) throw new Error('no bytes are shown');
  expect(await text(shown.bytes)).toBe(bytes.toString());
  expect(await actionsOn(slot.id)).toEqual(['content.show']);

  const form = await buyForm(question);
  await answer(form, 'a-very-private-answer');
  const ofForm = await showContent(app, { kind: 'form', id: form.id }, decision());
  expect(ofForm).toMatchObject({ kind: 'form', form: { title: 'Lunch' } });
  expect(JSON.stringify(ofForm)).not.toContain('private');
  expect(await actionsOn(form.id)).toEqual(['content.show']);
});

test('reports are on the worklist until they are dismissed or their form is taken down', async () => {
  const form = await buyForm(question);
  for (const reason of ['pretends', 'harm'])
    expect((await postPage(`${form.url}/report`, { reason, details: 'Not my bank.' })).status).toBe(200);
  const reports = (await openReports(app, 1_000)).filter(({ target }) => target.id === form.id);
  expect(reports).toMatchObject([
    { reason: 'pretends', hasDetails: true },
    { reason: 'harm', hasDetails: true },
  ]);
  const [first, second] = reports.map(({ id }) => id);
  const worklist = await tuppence('worklist', '--json');
  expect(worklist.exitCode).toBe(1);
  expect(worklist.output).toContain(
    `"kind":"report","id":"${first}","target":{"kind":"form","id":"${form.id}"}`,
  );

  expect(await showReport(app, first ?? '', decision())).toBe('Not my bank.');
  expect(await actionsOn(first ?? '')).toEqual(['content.show']);
  expect(await dismissReport(app, first ?? '', decision())).toBe(true);
  expect(await dismissReport(app, first ?? '', decision())).toBe(false);
  expect(
    await takeDown(app, { kind: 'form', id: form.id }, { ...decision(), reason: 'other', isErased: false }),
  ).toBe(true);
  expect((await openReports(app, 1_000)).filter(({ target }) => target.id === form.id)).toEqual([]);
  expect(await showReport(app, second ?? '', decision())).toBeNull();
  expect(await sql('SELECT details FROM abuse_report WHERE target_id = $1', [form.id])).toEqual([
    { details: null },
    { details: null },
  ]);
});

test('anybody can report a file at the address that its link names', async () => {
  const { slot } = await aLink();
  const { headers } = await fetch(slot.publicUrl);
  const address = /^<([^>]+)>; rel="help"/.exec(headers.get('link') ?? '')?.[1] ?? '';
  expect(new URL(address).origin).toBe(new URL(stack().apiUrl).origin);
  const shown = await fetch(address);
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Report this file')]);
  expect((await postPage(address, { reason: 'constructor' })).status).toBe(422);
  const hostile = '"><script>alert(1)</script>';
  expect(await (await postPage(address, { reason: '', details: hostile })).text()).not.toContain(
    '<script>alert',
  );
  const sent = await postPage(address, { reason: 'malware', details: 'A virus.' });
  expect(await sent.text()).toContain('Your report was sent');
  const [report] = (await openReports(app, 1_000)).filter(({ target }) => target.id === slot.id);
  expect(report).toMatchObject({ target: { kind: 'upload' }, reason: 'malware', hasDetails: true });
  expect(
    await takeDown(
      app,
      { kind: 'upload', id: slot.id },
      { ...decision(), reason: 'malware', isErased: false },
    ),
  ).toBe(true);
  expect((await fetch(address)).status).toBe(404);
});

test('takedown refuses what it does not know, and prints the usage when it is used wrongly', async () => {
  for (const unknown of ['fm_none', 'https://elsewhere.example/f/fm_none', `${stack().apiUrl}/docs`, 'x y'])
    expect(await tuppence('takedown', unknown, ...why, '--yes'), unknown).toMatchObject({
      exitCode: 1,
      output: `This service has no form or file ${unknown}.\n`,
    });
  for (const args of [
    [],
    ['fm_1'],
    ['fm_1', '--reason', 'boredom', '--note', 'x'],
    ['fm_1', '--reason', 'other'],
    ['fm_1', ...why, '--restore'],
  ])
    expect(await tuppence('takedown', ...args), args.join(' ')).toMatchObject({ exitCode: 2, output: '' });
});
