import { createHash } from 'node:crypto';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { bomb } from '../render/bomb';
import { heavyHtml } from '../render/noise';
import { readPdf } from '../render/pdf-text';
import { balanceOf } from '../support/balances';
import { envelopeFor, payingFetch, paymentHeader } from '../support/buyer';
import { sql } from '../support/database';
import { expectChallenge, expectError, expectUntouched, startAtomic } from '../support/expectations';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { buyPdf, minimalHtml, pdfUrl } from '../support/pdf';
import { networkNames, stack } from '../support/stack';
import { fullOnly, networkSample } from '../support/tiers';
import { uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const on = 'base';
const price = 20_000n;
const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(pdfUrl(), { method: 'POST', headers, body });
const json = (html: string, filename?: string) => JSON.stringify({ html, filename });

async function signed() {
  const wallet = await newEvmPayer(startAtomic, [on]);
  return { wallet, headers: paymentHeader(await envelopeFor(pdfUrl(), wallet, on)) };
}

for (const name of networkNames) {
  test(
    `the official client buys a PDF on ${name} for 0.02, and anyone can open its link`,
    networkSample(name),
    async () => {
      const wallet = name === 'solana-mainnet' ? await newSolanaPayer() : await newEvmPayer();
      const html = '<!doctype html><html lang="en"><title>Invoice 7</title><p>Total: 12.00</p>';
      const answer = await payingFetch(wallet, name)(pdfUrl(), {
        method: 'POST',
        body: json(html, 'Invoice 7.pdf'),
      });
      expect(answer.status).toBe(200);
      expect(await balanceOf(wallet, name)).toBe(startAtomic - price);
      const pdf = await answer.json();
      expect(Object.keys(pdf).sort()).toEqual(
        ['bytes', 'expiresAt', 'id', 'pages', 'publicUrl', 'renderMs', 'sha256'].sort(),
      );
      const file = await fetch(pdf.publicUrl);
      const bytes = Buffer.from(await file.arrayBuffer());
      expect(file.headers.get('content-type')).toBe('application/pdf');
      expect(new URL(pdf.publicUrl).origin).toBe(stack().filesUrl);
      expect(pdf.publicUrl).toMatch(/\/Invoice-7\.pdf$/);
      expect(pdf).toMatchObject({
        bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        pages: 1,
      });
      expect(Date.parse(pdf.expiresAt) - Date.now()).toBeGreaterThan(6.99 * 86_400_000);
      expect(Date.parse(pdf.expiresAt) - Date.now()).toBeLessThanOrEqual(7 * 86_400_000);
      const { text, info } = await readPdf(bytes);
      expect(text).toContain('Total: 12.00');
      expect(info.Title).toBe('Invoice 7');
      expect(bytes.toString()).toContain('<pdfuaid:part>1</pdfuaid:part>');
      const call = await fetch(`${stack().apiUrl}/v1/paid-calls/${answer.headers.get('paid-call-id')}`);
      expect(await call.json()).toMatchObject({
        operation: 'render.pdf',
        state: 'delivered',
        price: '0.02',
        network: name,
      });
    },
  );
}

for (const [what, body] of [
  ['nothing', ''],
  ['half a JSON', '{"html":'],
  ['a forbidden document', '{"html":"<script>1</script>"}'],
  ['eight megabytes', JSON.stringify({ html: 'x'.repeat(8_000_000) })],
] as const) {
  test(`an unpaid request gets the price: ${what}`, async () => {
    await expectChallenge(await post(body), 'Payment required');
  });
}

test('the challenge has the schema of the body', async () => {
  const answer = await fetch(pdfUrl(), { method: 'POST' });
  const challenge = decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '');
  const { bazaar } = challenge.extensions as unknown as {
    bazaar: { schema: { properties: { input: { properties: { body: unknown } } } } };
  };
  expect(bazaar.schema.properties.input.properties.body).toMatchObject({
    type: 'object',
    required: ['html'],
    additionalProperties: false,
    properties: { html: { type: 'string' }, filename: { type: 'string', minLength: 1, maxLength: 180 } },
  });
  expect(challenge.accepts.map(({ amount }) => amount)).toEqual(Array(4).fill('20000'));
});

for (const method of ['GET', 'HEAD']) {
  test(`${method} gets 404, paid or not`, async () => {
    const { headers } = await signed();
    expect((await fetch(pdfUrl(), { method })).status).toBe(404);
    expect((await fetch(pdfUrl(), { method, headers })).status).toBe(404);
  });
}

test('there is no MPP route for it', async () => {
  const answer = await fetch(`${stack().apiUrl}/v1/mpp/render/pdf`, { method: 'POST' });
  expect(answer.status).toBe(404);
});

const example = { html: expect.stringContaining('<!doctype html>') };
const secret = 'correct-horse-battery-staple';

for (const [what, body, reason, issues] of [
  ['no JSON', `{"html": ${secret}`, 'invalid_json', [{ path: 'body', rule: 'must be JSON in UTF-8' }]],
  ['no html', '{}', 'invalid_input', [{ path: 'html', rule: 'is required' }]],
  ['an empty html', json(''), 'invalid_input', [{ path: 'html', rule: 'must not be empty' }]],
  [
    'a field too many',
    `{"html":"x","scale":2}`,
    'invalid_input',
    [{ path: 'body', rule: 'must not have its field number 2' }],
  ],
  [
    'a name with two dots',
    json('x', `..${secret}`),
    'invalid_input',
    [{ path: 'filename', rule: 'must not contain two consecutive dots' }],
  ],
  [
    'a name of 181 characters',
    json('x', 'n'.repeat(181)),
    'invalid_input',
    [{ path: 'filename', rule: 'must have at most 180 characters' }],
  ],
  [
    'a mebibyte and one byte',
    json('x'.repeat(1_048_577)),
    'invalid_input',
    [{ path: 'html', rule: 'must have at most 1048576 bytes in UTF-8' }],
  ],
  [
    'a mebibyte of two-byte letters',
    json('é'.repeat(600_000)),
    'invalid_input',
    [{ path: 'html', rule: 'must have at most 1048576 bytes in UTF-8' }],
  ],
  [
    'a script',
    json(`<p>${secret}\n<script>${secret}</script>`),
    'forbidden_html',
    [{ path: 'html:2:1', rule: 'script is not allowed' }],
  ],
  [
    'images from elsewhere',
    json(`<img src="http://${secret}.test/a">`.repeat(9)),
    'forbidden_html',
    Array(3).fill({ path: expect.stringMatching(/^html:1:\d+$/), rule: 'src must be a data: image' }),
  ],
] as const) {
  test(`a paid request gets field, rule and example, uncharged: ${what}`, async () => {
    const { wallet, headers } = await signed();
    const answer = await post(body, headers);
    expect(await answer.clone().text()).not.toContain(secret);
    const error = await expectError(answer, 'invalid_input');
    expect(error).toMatchObject({ reason, issues, example });
    await expectUntouched(wallet, on);
    const corrected = await post(json(minimalHtml), headers);
    expect(corrected.status, 'the same payment can be used again').toBe(200);
  });
}

test('forbidden HTML is refused before the payment is checked', async () => {
  const poor = await newEvmPayer(0n);
  const headers = paymentHeader(await envelopeFor(pdfUrl(), poor, on));
  await expectError(await post(json('<iframe></iframe>'), headers), 'invalid_input');
  await expectChallenge(await post(json(minimalHtml), headers), /insufficient/);
});

test('a document of one mebibyte in JSON escapes is accepted', async () => {
  const { headers } = await signed();
  const html = `<p>${'x'.repeat(1000)}</p>`;
  const escaped = [...html]
    .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
  expect((await post(`{"html":"${escaped}"}`, headers)).status).toBe(200);
});

test('more than 20 pages get 422 uncharged, also the second time, and a shorter document is rendered', async () => {
  const { wallet, headers } = await signed();
  const long = json('<p style="break-after:page">x</p>'.repeat(21));
  const first = await expectError(await post(long, headers), 'output_too_large');
  const second = await expectError(await post(long, headers), 'output_too_large');
  expect(first.paidCallId).toBe(second.paidCallId);
  expect(await balanceOf(wallet, on)).toBe(startAtomic);
  const call = await (await fetch(`${stack().apiUrl}/v1/paid-calls/${first.paidCallId}`)).json();
  expect(call).toMatchObject({ state: 'refused', payment: 'none', reason: 'output_too_large' });
  await buyPdf(wallet, on, { html: '<p style="break-after:page">x</p>'.repeat(19) });
  expect(await balanceOf(wallet, on)).toBe(startAtomic - price);
});

test('a PDF of more than 10 MiB gets 422 and costs nothing', fullOnly, async () => {
  const { wallet, headers } = await signed();
  await expectError(await post(json(heavyHtml()), headers), 'output_too_large');
  expect(await balanceOf(wallet, on)).toBe(startAtomic);
});

test(
  'a document that never finishes gets 503 within 20 s uncharged, and its payment can be used again',
  fullOnly,
  async () => {
    const { wallet, headers } = await signed();
    const startedAt = Date.now();
    const error = await expectError(await post(json(bomb), headers), 'render_failed');
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    expect(await balanceOf(wallet, on)).toBe(startAtomic);
    const again = await expectError(await post(json(bomb), headers), 'render_failed');
    expect(again.paidCallId).toBe(error.paidCallId);
    expect(await balanceOf(wallet, on)).toBe(startAtomic);
    const moves = await sql<{ to_state: string }>(
      'SELECT to_state::text FROM paid_call_move WHERE paid_call_id = $1 ORDER BY id',
      [error.paidCallId],
    );
    expect(moves.map(({ to_state }) => to_state)).toEqual(['claimed', 'refused', 'claimed', 'refused']);
  },
);

test('a payment that bought one document buys no other', async () => {
  const { headers } = await signed();
  expect((await post(json('<p>one'), headers)).status).toBe(200);
  await expectError(await post(json('<p>two'), headers), 'idempotency_conflict');
});

test('a replay gets the first response, charges nothing and renders nothing', async () => {
  const { wallet, headers } = await signed();
  const first = await post(json(minimalHtml), headers);
  const replayed = await post(json(minimalHtml), headers);
  expect(replayed.headers.get('idempotent-replayed')).toBe('true');
  expect(await replayed.text()).toBe(await first.text());
  expect(await balanceOf(wallet, on)).toBe(startAtomic - price);
});

test('twenty simultaneous identical requests render, charge and publish once', async () => {
  const { wallet, headers } = await signed();
  // A retry waits a few seconds for the first call; on a busy machine it is told to try again later.
  const insist = async (): Promise<Response> => {
    const answer = await post(json(minimalHtml), headers);
    return answer.status === 409 ? insist() : answer;
  };
  const answers = await Promise.all(Array.from({ length: 20 }, insist));
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
  expect(new Set(bodies).size).toBe(1);
  expect(await balanceOf(wallet, on)).toBe(startAtomic - price);
  const files = await sql('SELECT id FROM upload WHERE owner = $1', [wallet.address]);
  expect(files).toHaveLength(1);
});

test('a bought PDF goes through the state prepared, and no held file is left', async () => {
  const { wallet, headers } = await signed();
  const { id } = await (await post(json(minimalHtml), headers)).json();
  const moves = await sql<{ to_state: string }>(
    `SELECT to_state::text FROM paid_call_move JOIN paid_call ON paid_call.id = paid_call_id
     WHERE payer = $1 ORDER BY paid_call_move.id`,
    [wallet.address],
  );
  expect(moves.map(({ to_state }) => to_state)).toEqual([
    'claimed',
    'prepared',
    'settling',
    'settled',
    'delivered',
  ]);
  expect(await sql('SELECT id FROM held_file WHERE id = $1', [id])).toEqual([]);
  const [call] = await sql('SELECT input, prepared FROM paid_call WHERE payer = $1', [wallet.address]);
  expect(call).toEqual({ input: null, prepared: null });
});

test('a PDF cannot be renewed, and only its payer can delete it', async () => {
  const wallet = await newEvmPayer();
  const stranger = await newEvmPayer();
  const { id, publicUrl } = await buyPdf(wallet, 'polygon');
  const renewed = await payingFetch(wallet, 'polygon')(`${uploadsUrl()}/${id}/renew`, { method: 'POST' });
  await expectError(renewed, 'not_renewable');
  const remove = (who: typeof wallet) =>
    payingFetch(who, 'polygon')(`${uploadsUrl()}/${id}`, { method: 'DELETE' });
  await expectError(await remove(stranger), 'not_owner');
  expect((await fetch(publicUrl)).status).toBe(200);
  expect((await remove(wallet)).status).toBe(200);
  expect((await fetch(publicUrl)).status).toBe(410);
  expect(await balanceOf(wallet, 'polygon')).toBe(startAtomic - price - 1_000n);
});

test('the price list has the operation', async () => {
  const { prices } = await (await fetch(`${stack().apiUrl}/v1/tools/prices`)).json();
  expect(prices.pdf).toMatchObject({ operation: 'render.pdf', price: '0.02', amountUsdcAtomic: '20000' });
});

test('the dry run, the response and its replay name characters that no font has', async () => {
  const html =
    '<html lang="en"><title>Boxes</title><p>\u{11a50} &#xe123; prints as boxes, \u{1f600} বাংলা do not';
  const dryRun = await fetch(`${stack().apiUrl}/v1/tools/check`, {
    method: 'POST',
    body: JSON.stringify({ operation: 'render.pdf', body: { html } }),
  });
  expect(await dryRun.json()).toMatchObject({
    accepted: true,
    warnings: [expect.stringContaining('has U+E123, U+11A50. They print as boxes')],
  });
  const { headers } = await signed();
  const keyed = { ...headers, 'Idempotency-Key': crypto.randomUUID() };
  const answers = [await post(json(html), keyed), await post(json(html), keyed)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers.map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  for (const answer of answers) {
    expect(answer.headers.get('unsupported-characters')).toBe('U+E123, U+11A50');
    expect(answer.headers.get('access-control-expose-headers')).toContain('Unsupported-Characters');
  }
  expect(await answers[1]?.text()).toBe(await answers[0]?.text());
});

test('the dry run of a short and of a long document names what its author left out', async () => {
  for (const text of ['short', 'long '.repeat(4_000)]) {
    const dryRun = await fetch(`${stack().apiUrl}/v1/tools/check`, {
      method: 'POST',
      body: JSON.stringify({ operation: 'render.pdf', body: { html: `<h1>Report</h1><p>${text}` } }),
    });
    expect((await dryRun.json()).warnings).toEqual([
      expect.stringContaining('no title'),
      expect.stringContaining('no language'),
    ]);
  }
});

test('a document that our fonts can print gets no warning', async () => {
  const { headers } = await signed();
  const answer = await post(json('<p>Ελληνικά 漢字 ☑ → 𝑎'), headers);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('unsupported-characters')).toBeNull();
});

test('text that is cut off on paper is named in the response and in its replay', async () => {
  const html = '<p>whole<p style="width:50px;overflow:hidden;white-space:nowrap">a line that is cut';
  const { headers } = await signed();
  const keyed = { ...headers, 'Idempotency-Key': crypto.randomUUID() };
  const answers = [await post(json(html), keyed), await post(json(html), keyed)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers.map((answer) => answer.headers.get('cut-content'))).toEqual(['p 2', 'p 2']);
});
