import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { billing, dryRun, forms, operations, render, uploads } from '@/lib/catalog';
import { openAccount } from '../support/accounts';
import { payingFetch } from '../support/buyer';
import { sql } from '../support/database';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { newEvmPayer } from '../support/payers';
import { stack } from '../support/stack';
import { fullOnly, sample } from '../support/tiers';
import { buyFile, buySlot } from '../support/uploads';
import { expect, test } from '../support/without-browser';

// In series, because some of them fill the queue in which dry runs wait.

const json = { 'Content-Type': 'application/json' };

function post(body: unknown): Promise<Response> {
  return fetch(`${stack().apiUrl}${dryRun.check.path}`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(body),
  });
}

async function check(body: object) {
  const answer = await post(body);
  expect(answer.status).toBe(200);
  return dryRun.check.output.parse(await answer.json());
}

test('every example is accepted, with its price on every network', async () => {
  for (const { id, price, params, takesBody, example } of operations) {
    // A call about the example's upload or account cannot be checked without a payer.
    if (Object.keys(params.shape).length > 0 || id === 'billing.deposit') continue;
    const verdict = await check({ operation: id, ...(takesBody ? { body: example.body } : {}) });
    expect(verdict, id).toMatchObject({ operation: id, accepted: true, price });
    expect(verdict.networks.map(({ network }) => network)).toEqual([
      'base',
      'polygon',
      'arbitrum',
      'solana-mainnet',
    ]);
  }
});

for (const [what, operation, body] of [
  ['a missing field', uploads.create, { mime: 'text/plain' }],
  ['a file that is too large', uploads.create, { ...uploads.create.example.body, size: 10_485_761 }],
  ['two digests that differ', uploads.create, { ...uploads.create.example.body, sha256: '0'.repeat(64) }],
  ['a script in HTML', render.pdf, { html: '<script>alert(1)</script>' }],
  [
    'a form that asks for a password',
    forms.create,
    { title: 'Hi', questions: [{ type: 'text', label: 'Your password' }] },
  ],
  [
    'a form that closes too late',
    forms.create,
    { ...forms.create.example.body, closesAt: '2099-01-01T00:00:00Z' },
  ],
  ['no body', forms.create, undefined],
] as const) {
  test(`${what} is refused in the words of the real call`, async () => {
    const verdict = await check({ operation: operation.id, body });
    const client = await payingFetch(await newEvmPayer(1_000_000n, ['base']), 'base');
    const real = await client(`${stack().apiUrl}${operation.paths.x402}`, {
      method: operation.method,
      headers: json,
      body: JSON.stringify(body),
    });
    const { error } = await real.json();
    expect(verdict.accepted).toBe(false);
    expect({ ...verdict.error, requestId: null }).toEqual({ ...error, requestId: null });
  });
}

test('an operation can be named by any of its OpenAPI operationIds', async () => {
  const { paths } = await (await fetch(`${stack().apiUrl}/openapi.json`)).json();
  const called = Object.entries<Record<string, { operationId: string }>>(paths).flatMap(([path, methods]) =>
    Object.values(methods).map(({ operationId }) => ({ path, operationId })),
  );
  for (const { id, paths: rails } of operations) {
    const names = called.filter(
      ({ path, operationId }) => Object.values(rails).includes(path) && operationId.startsWith(`${id}.`),
    );
    expect(names.length, id).toBeGreaterThan(0);
    for (const { operationId } of names)
      expect((await check({ operation: operationId, body: {} })).operation, operationId).toBe(id);
  }
});

test('a body that sets the price gets that price, or the minimum if the amount is not valid', async () => {
  const { accountId } = await openAccount();
  const verdictOn = (body: object) => check({ operation: billing.deposit.id, body });
  const taken = await verdictOn({ accountId, amount: '12.5' });
  expect(taken).toMatchObject({ accepted: true, price: '12.5' });
  expect(new Set(taken.networks.map(({ amountUsdcAtomic }) => amountUsdcAtomic))).toEqual(
    new Set(['12500000']),
  );
  const refused = await verdictOn({ accountId, amount: '501' });
  expect(refused).toMatchObject({ accepted: false, error: { code: 'invalid_input' }, price: '1' });
});

test('a dry run checks the owner of an upload only for a named payer', async () => {
  const payer = await newEvmPayer();
  const { id } = await buySlot(payer, 'base', aFile());
  const asked = { operation: uploads.remove.id, params: { id } };
  expect(await check({ ...asked, payer: payer.address })).toMatchObject({ accepted: true });
  // Addresses are the same in every letter case.
  expect(await check({ ...asked, payer: payer.address.toLowerCase() })).toMatchObject({ accepted: true });
  expect(await check({ ...asked, payer: `0x${'1'.repeat(40)}` })).toMatchObject({
    accepted: false,
    error: { code: 'not_owner' },
  });
  expect(await check(asked)).toMatchObject({ accepted: true });
  expect(await check({ operation: uploads.remove.id, params: { id: '../x' } })).toMatchObject({
    accepted: false,
    error: { code: 'upload_not_found' },
  });
});

test('a dry run of the last renewal says that it adds less than seven days', async () => {
  const payer = await newEvmPayer();
  const { id } = await buyFile(payer, 'base');
  const asked = { operation: uploads.renew.id, params: { id }, payer: payer.address };
  expect((await check(asked)).warnings).toBeUndefined();
  await sql(`UPDATE upload SET expires_at = created_at + interval '28 days' WHERE id = $1`, [id]);
  expect((await check(asked)).warnings).toEqual([expect.stringContaining('adds 2 days and not 7')]);
});

test('the dry run of an upload has the command that sends the file, which works with the slot’s URL', async () => {
  const file = aFile();
  const { next = '' } = await check({ operation: uploads.create.id, body: JSON.parse(file.body) });
  const folder = await mkdtemp(path.join(tmpdir(), 'upload-'));
  const name = /'@(.*?)'/.exec(next)?.[1] ?? '';
  await writeFile(path.join(folder, name), file.bytes);
  const slot = await buySlot(await newEvmPayer(), 'base', file);
  const env = { ...process.env, UPLOAD_URL: slot.uploadUrl };
  await promisify(execFile)('/bin/sh', ['-c', next], { cwd: folder, env });
  const stored = await fetch(slot.publicUrl);
  expect(Buffer.from(await stored.arrayBuffer())).toEqual(Buffer.from(file.bytes));
  await rm(folder, { recursive: true });
});

test('a dry run stores nothing and never repeats the input', async () => {
  const secret = 'a-word-that-is-nowhere-else';
  const count = async () =>
    (await sql('SELECT count(*)::int AS n FROM paid_call WHERE input::text LIKE $1', [`%${secret}%`]))[0];
  const answer = await post({
    operation: forms.create.id,
    body: { title: secret, [secret.repeat(10)]: secret, questions: 7 },
  });
  expect(await answer.text()).not.toContain(`"${secret}"`);
  expect(await count()).toEqual({ n: 0 });
});

test('an unknown operation, an invalid wrapper and a body that is too large are errors of the dry run itself', async () => {
  const error = await expectError(await post({ operation: 'nothing' }), 'invalid_input');
  expect(error.issues).toEqual([
    {
      path: 'operation',
      rule: expect.stringContaining('must be the name of a paid call'),
    },
  ]);
  await expectError(await post({ operation: 'uploads.create', extra: 1 }), 'invalid_input');
  await expectError(
    await post({ operation: render.pdf.id, body: { html: 'x'.repeat(8 * 1024 * 1024) } }),
    'body_too_large',
  );
});

test('a body nested too deeply for any parser is refused without failing', async () => {
  const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const answer = await fetch(`${stack().apiUrl}${dryRun.check.path}`, {
    method: 'POST',
    headers: json,
    body: `{"operation":"${render.pdf.id}","body":{"html":${nested}}}`,
  });
  await expectError(answer, 'invalid_input');
});

const text = 'pin pin pin postal pin code ';
const fields = Array.from({ length: 150_000 }, (_, index) => [`field${index}`, 1]);
const choice = (question: number) => ({
  type: 'choice',
  label: `Which ${question}?`,
  options: Array.from({ length: 50 }, (_, option) => `${option} ${text.repeat(6)}`),
});

for (const [what, operation, body] of [
  ['the largest body', render.pdf, Object.fromEntries(fields)],
  ['the largest document', render.pdf, { html: '<nobr>'.repeat(170_000) }],
  [
    'the largest form',
    forms.create,
    { title: 'Hi', questions: Array.from({ length: 20 }, (_, index) => choice(index)) },
  ],
] as const) {
  test(
    `other requests are served while dry runs of ${what} are checked`,
    sample(what === 'the largest document'),
    async () => {
      const sent = JSON.stringify({ operation: operation.id, body });
      let judged = 0;
      const dryRuns = Array.from({ length: 4 }, async () => {
        const answer = await fetch(`${stack().apiUrl}${dryRun.check.path}`, {
          method: 'POST',
          headers: json,
          body: sent,
        });
        judged += 1;
        return answer.status;
      });
      // One at a time: each has to wait for whatever blocks the event loop at the moment.
      let served = 0;
      for (; judged < dryRuns.length; served += 1) {
        expect((await fetch(`${stack().apiUrl}/v1/uploads`, { method: 'POST' })).status).toBe(402);
      }
      // If a check blocked the event loop, hardly more than one request would be served between two checks.
      expect(served).toBeGreaterThan(3 * dryRuns.length);
      expect(new Set(await Promise.all(dryRuns))).toEqual(new Set([200]));
    },
  );
}

test(
  'many simultaneous dry runs are served or get Retry-After, and the service stays up',
  fullOnly,
  async () => {
    const html = `<p>${'<b>x</b>'.repeat(20_000)}</p>`;
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => post({ operation: render.pdf.id, body: { html } })),
    );
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)).toEqual(
      [],
    );
    expect((await fetch(`${stack().apiUrl}/health`)).status).toBe(200);
  },
);
