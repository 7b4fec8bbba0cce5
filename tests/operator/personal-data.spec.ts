import { createApp } from '@/lib/app';
import { actionFilters, listActions } from '@/lib/operator/actions';
import { DataKeys } from '@/lib/platform/data-keys';
import { parseSettings } from '@/lib/platform/settings';
import { payingFetch } from '../support/buyer';
import { sql } from '../support/database';
import { aFile } from '../support/files';
import { stampOfAge } from '../support/form-stamps';
import { type CreatedForm, formsUrl, postPage } from '../support/forms';
import { runOperatorProgram } from '../support/operator-program';
import { newEvmPayer } from '../support/payers';
import { testPlatform } from '../support/platform';
import { stack } from '../support/stack';
import { putFile, type Slot, uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

/** `tuppence export` and `tuppence erase` for one wallet or one form. */

const env = () => ({ ...stack().serverEnv, PUBLIC_URL: stack().apiUrl, FILES_URL: stack().filesUrl });
const tuppence = (...args: string[]) => runOperatorProgram(env(), ...args);
const linesOf = (output: string) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** A wallet that bought an upload with a telling name, and a form that somebody has answered. */
async function customer() {
  const wallet = await newEvmPayer();
  const pay = payingFetch(wallet, 'base');
  const { bytes, body } = aFile(300);
  const named = JSON.stringify({ ...JSON.parse(body), filename: 'Ada Lovelace.txt', tags: ['ada'] });
  const bought = await pay(uploadsUrl(), { method: 'POST', body: named });
  const slot = (await bought.json()) as Slot;
  expect((await putFile(slot, bytes)).status).toBe(200);
  const questions = [{ type: 'text', label: 'What will you eat?', id: 'meal' }];
  const created = await pay(formsUrl(), {
    method: 'POST',
    body: JSON.stringify({ title: 'Lunch of Ada', questions }),
  });
  const form = (await created.json()) as CreatedForm;
  expect(
    (await postPage(form.url, { q_meal: 'Soup for Ada', stamp: stampOfAge(form.id, 5_000) })).status,
  ).toBe(303);
  // As after the blocks that make a settlement final.
  await sql(
    `UPDATE settlement_transaction SET final_at = now()
     WHERE final_at IS NULL AND id IN (SELECT settlement_id FROM paid_call WHERE payer = $1)`,
    [wallet.address],
  );
  const keys = new DataKeys([stack().serverEnv.DATA_KEY ?? ''], 'main');
  await sql(
    `INSERT INTO refund_request (paid_call_id, reason, message, requested_at)
     SELECT paid_call_id, 'other', $2, now() FROM form WHERE id = $1`,
    [form.id, keys.encrypt('Ada wants her money back.')],
  );
  return { wallet: wallet.address, slot, form };
}

test('an operator exports and erases what a wallet bought, keeps the records of payments, and finds nothing the second time', async () => {
  const { wallet, slot, form } = await customer();
  const other = await customer();
  const exported = linesOf((await tuppence('export', '--wallet', wallet.toLowerCase())).output);
  expect(exported.map(({ kind }) => kind)).toEqual(['call', 'call', 'upload', 'form', 'refund_request']);
  expect(exported.at(-1)).toMatchObject({ message: 'Ada wants her money back.' });
  expect(exported[2]).toMatchObject({ id: slot.id, filename: 'Ada Lovelace.txt', tags: ['ada'] });
  expect(JSON.stringify(exported)).not.toContain(form.readToken);

  const counts = { uploads: 1, forms: 1, formResponses: 1, callResponses: 2, refundMessages: 1 };
  const dry = await tuppence('erase', '--wallet', wallet, '--json');
  expect([dry.exitCode, JSON.parse(dry.output)]).toEqual([0, { isErased: false, ...counts }]);
  expect((await fetch(slot.publicUrl)).status).toBe(200);
  const done = await tuppence('erase', '--wallet', wallet, '--note', 'She asked us to.', '--yes');
  expect(done.errors).toBe('');
  expect(done.output).toContain(
    'Erased: 1 uploads, 1 forms with 1 responses, the stored responses of 2 calls, and 1 messages about refunds.',
  );
  expect([(await fetch(slot.publicUrl)).status, (await fetch(form.url)).status]).toEqual([410, 410]);
  const left = linesOf((await tuppence('export', '--wallet', wallet)).output);
  expect(left.map(({ kind }) => kind)).toEqual(['call', 'call', 'upload', 'form', 'refund_request']);
  expect(JSON.stringify(left)).not.toMatch(/\bada\b|lunch/i);
  expect(left[0]).toMatchObject({ state: 'delivered', amountAtomic: exported[0].amountAtomic });

  const again = await tuppence('erase', '--wallet', wallet, '--yes');
  expect([again.exitCode, again.output]).toEqual([0, 'Nothing is left to erase.\n']);
  const app = createApp({ settings: parseSettings(env()), log: testPlatform().log });
  const { actions } = await listActions(app, actionFilters.parse({ targetId: wallet }));
  await app.close();
  expect(actions.map(({ action, note, after }) => [action, note, after])).toEqual([
    ['records.export', null, null],
    ['data.erase', 'She asked us to.', counts],
    ['records.export', null, null],
  ]);
  expect([(await fetch(other.slot.publicUrl)).status, (await fetch(other.form.url)).status]).toEqual([
    200, 200,
  ]);
});

test('an operator exports and erases one form with its responses, and nothing else of its owner', async () => {
  const { slot, form } = await customer();
  const exported = linesOf((await tuppence('export', '--form', form.id)).output);
  expect(exported).toMatchObject([
    { kind: 'form', content: { title: 'Lunch of Ada' } },
    { kind: 'response', answers: { meal: 'Soup for Ada' } },
  ]);
  const done = await tuppence('erase', '--form', form.id, '--yes', '--json');
  expect(JSON.parse(done.output)).toEqual({
    isErased: true,
    uploads: 0,
    forms: 1,
    formResponses: 1,
    callResponses: 1,
    refundMessages: 0,
  });
  expect([(await fetch(slot.publicUrl)).status, (await fetch(form.url)).status]).toEqual([200, 410]);
  expect((await tuppence('export', '--form', form.id)).output).not.toMatch(/\bada\b|lunch/i);
  for (const args of [[], ['--form', form.id, '--wallet', `0x${'1'.repeat(40)}`], ['--wallet', 'ada']])
    expect((await tuppence('erase', ...args)).exitCode, args.join(' ')).toBe(2);
});
