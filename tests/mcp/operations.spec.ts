import type { z } from 'zod';
import { type forms, operations, type render } from '@/lib/catalog';
import { operationTools } from '@/lib/catalog/adapter-tools';
import { remoteTools } from '@/lib/discovery/remote-tools';
import { toAtomic, toPrice } from '@/lib/payments/money';
import { sql } from '../support/database';
import { stampOfAge } from '../support/form-stamps';
import { postPage } from '../support/forms';
import { fullOnly, sample } from '../support/tiers';
import { expect } from '../support/without-browser';
import { balanceOf, failureOf, outputOf, test, textsOf, topUp } from './rig';

/** The tools that each match one operation of the catalog: PDFs, forms, search and reading. */

type CreatedForm = z.output<typeof forms.create.output>;
type Pdf = z.output<typeof render.pdf.output>;
type ResponsesPage = z.output<typeof forms.responses.output>;

const withAllTools = { TUPPENCE_TOOLS: 'all' };

const aForm = { title: 'Lunch', questions: [{ id: 'meal', type: 'text', label: 'What would you like?' }] };

test('they have the names and the words of the remote server', () => {
  for (const { operation, tool } of operationTools) {
    const remote = remoteTools().find((one) => one.operation === operation);
    expect(remote?.name).toBe(tool.name);
    expect(remote?.title).toBe(tool.title);
    expect(remote?.description.startsWith(tool.description), tool.name).toBe(true);
  }
});

test('a prepaid account pays for every operation that a wallet pays for, except deposits and deletions', () => {
  const without = operations.filter(({ paths }) => !paths.account).map(({ id }) => id);
  expect(without.sort()).toEqual(['billing.deposit', 'uploads.delete']);
});

test('each works with its example, and takes its price from the account', async ({ machine }) => {
  const adapter = await machine.start(withAllTools);
  await topUp(adapter);
  let left = toAtomic('1');
  for (const { operation, tool } of operationTools) {
    const output = outputOf(await adapter.call(tool.name, tool.example));
    expect(operation.output.safeParse(output).error, tool.name).toBeUndefined();
    left -= toAtomic(operation.price);
    expect([tool.name, await balanceOf(machine)]).toEqual([tool.name, toPrice(left)]);
  }
  // A key is deleted when its response has been delivered.
  await expect.poll(async () => (await machine.state()).openCalls).toEqual({});
});

test('a PDF belongs to the account, which can list and delete it', fullOnly, async ({ machine }) => {
  const adapter = await machine.start(withAllTools);
  await topUp(adapter);
  const made = await adapter.call('render_pdf', { html: '<p lang="en">Invoice \uE123</p>' });
  const { id, publicUrl } = outputOf<Pdf>(made);
  // A response header that the assistant would not see otherwise.
  expect(textsOf(made)[1]).toContain('No font of the service has U+E123');
  expect(
    Buffer.from(await (await fetch(publicUrl)).arrayBuffer())
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-');
  const { uploads } = outputOf<{ uploads: { id: string }[] }>(await adapter.call('recent_uploads'));
  expect(uploads.map((upload) => upload.id)).toEqual([id]);
  outputOf(await adapter.call('delete_upload', { id }));
  expect((await fetch(publicUrl)).status).not.toBe(200);
  const script = await adapter.call('render_pdf', { html: '<script>alert(1)</script>' });
  expect(failureOf(script)).toMatchObject({ code: 'invalid_input', payment: 'none', retry: 'fix_input' });
  expect(await balanceOf(machine)).toBe('0.98');
});

test('an assistant asks people with a form, and waits for the answer', async ({ machine }) => {
  const adapter = await machine.start(withAllTools);
  await topUp(adapter);
  const { id, url, readToken } = outputOf<CreatedForm>(await adapter.call('forms_create', aForm));
  expect((await fetch(url)).status).toBe(200);
  const read = async (args: Record<string, unknown> = {}) =>
    outputOf<ResponsesPage>(await adapter.call('forms_responses', { id, readToken, ...args }));
  const { responses, nextCursor } = await read();
  expect(responses).toEqual([]);
  const waiting = read({ cursor: nextCursor, wait: 30 });
  const fields = { q_meal: 'Soup', stamp: stampOfAge(id, 5_000) };
  expect((await postPage(url, fields)).status).toBe(303);
  expect((await waiting).responses.map(({ answers }) => answers)).toEqual([{ meal: 'Soup' }]);
  const wrong = await adapter.call('forms_responses', { id, readToken: 'frt_wrong' });
  expect(failureOf(wrong)).toMatchObject({ code: 'read_token_wrong', payment: 'none' });
  expect(await balanceOf(machine)).toBe('0.99');
});

test('responses to a form are read without an account', fullOnly, async ({ machine }) => {
  const adapter = await machine.start(withAllTools);
  const none = await adapter.call('forms_responses', { id: 'fm_none', readToken: 'frt_none' });
  expect(failureOf(none)).toMatchObject({ code: 'form_not_found', payment: 'none' });
  await expect(machine.state()).rejects.toThrow('ENOENT');
});

test('the spending cap counts them', fullOnly, async ({ machine }) => {
  const adapter = await machine.start({ ...withAllTools, TUPPENCE_SPENDING_CAP: '0.015' });
  await topUp(adapter);
  outputOf(await adapter.call('forms_create', aForm));
  const failure = failureOf(await adapter.call('render_pdf', { html: '<p>Too dear</p>' }));
  expect(failure).toMatchObject({ code: 'spending_cap_reached', payment: 'none' });
  expect(await balanceOf(machine)).toBe('0.99');
});

test(
  'a busy service after a lost answer does not end the call: the next one gets its result and is not charged',
  fullOnly,
  async ({ machine }) => {
    const adapter = await machine.start(withAllTools);
    await topUp(adapter);
    const printing = /^POST \/v1\/account\/render\/pdf$/;
    machine.proxy.on(printing, 'lose-answer');
    const error = { code: 'renderer_busy', message: 'Too many documents.', payment: 'none', retry: 'later' };
    machine.proxy.on(printing, { status: 503, body: { error } });
    const args = { html: '<p>Once</p>' };
    expect(failureOf(await adapter.call('render_pdf', args))).toMatchObject({
      code: 'renderer_busy',
      payment: 'unknown',
      retry: 'same_request',
    });
    const again = await adapter.call('render_pdf', args);
    expect(textsOf(again)[1]).toMatch(/charged once/);
    expect((await fetch(outputOf<Pdf>(again).publicUrl)).status).toBe(200);
    expect(await balanceOf(machine)).toBe('0.98');
  },
);

const calls: readonly { tool: string; args: Record<string, unknown>; on: RegExp; price: string }[] = [
  { tool: 'forms_create', args: aForm, on: /^POST \/v1\/account\/forms$/, price: '0.01' },
  {
    tool: 'render_pdf',
    args: { html: '<h1>Report</h1>' },
    on: /^POST \/v1\/account\/render\/pdf$/,
    price: '0.02',
  },
  {
    tool: 'neural_search',
    args: { query: 'sodium-ion storage pilots' },
    on: /^POST \/v1\/account\/neural\/search$/,
    price: '0.01',
  },
];

for (const { tool, args, on, price } of calls) {
  const left = toPrice(toAtomic('1') - toAtomic(price));

  test(
    `${tool}: a lost answer is asked for again and charged once`,
    sample(tool === 'forms_create'),
    async ({ machine }) => {
      const adapter = await machine.start(withAllTools);
      await topUp(adapter);
      const rule = machine.proxy.on(on, 'lose-answer');
      outputOf(await adapter.call(tool, args));
      expect([rule.hits, await balanceOf(machine)]).toEqual([1, left]);
    },
  );

  test(
    `${tool}: kill -9 while it is answered, then the same call: the same result, charged once`,
    sample(tool === 'render_pdf'),
    async ({ machine }) => {
      const adapter = await machine.start(withAllTools);
      const accountId = await topUp(adapter);
      const rule = machine.proxy.on(on, 'hold-answer');
      const lost = adapter.call(tool, args).catch(() => 'lost');
      await rule.happened;
      await adapter.kill();
      expect(await lost).toBe('lost');
      const again = await (await machine.start(withAllTools)).call(tool, args);
      outputOf(again);
      expect(textsOf(again)[1]).toMatch(/charged once/);
      expect(await balanceOf(machine)).toBe(left);
      const [row] = await sql<{ count: string }>('SELECT count(*) FROM paid_call WHERE payer = $1', [
        accountId,
      ]);
      expect(Number(row?.count)).toBe(1);
      await expect.poll(async () => (await machine.state()).openCalls).toEqual({});
    },
  );
}
