import { balanceOf } from '../support/balances';
import { envelopeFor, payingFetch, paymentHeader } from '../support/buyer';
import { sql } from '../support/database';
import { expectError } from '../support/expectations';
import { stampOfAge } from '../support/form-stamps';
import { buyForm, type CreatedForm, everyType, formsUrl, postPage, readResponses } from '../support/forms';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { networkNames, stack } from '../support/stack';
import { fullOnly, networkSample } from '../support/tiers';
import { expect, test } from '../support/without-browser';

const body = JSON.stringify(everyType);
const dayMs = 86_400_000;
const short = { title: 'Short', questions: [{ id: 'a', type: 'text', label: 'A' }] };

/** Sends one answer to a form whose first question is `a`. */
async function answer(form: CreatedForm, text: string): Promise<void> {
  const sent = await postPage(form.url, { q_a: text, stamp: stampOfAge(form.id, 5_000) });
  expect(sent.status, await sent.text()).toBe(303);
}

for (const name of networkNames) {
  test(
    `the official x402 client buys a form on ${name} at exactly its price`,
    networkSample(name),
    async () => {
      const wallet = name === 'solana-mainnet' ? await newSolanaPayer() : await newEvmPayer();
      const before = Date.now();
      const bought = await payingFetch(wallet, name)(formsUrl(), { method: 'POST', body });
      expect(bought.status).toBe(200);
      expect(await balanceOf(wallet, name)).toBe(10_000_000n - 10_000n);
      const form = await bought.json();
      expect(form).toEqual({
        id: expect.stringMatching(/^fm_[0-9A-Za-z]{24}$/),
        url: `${stack().apiUrl}/f/${form.id}`,
        readToken: expect.stringMatching(/^frt_[\w-]{43}$/),
        responsesUrl: `${stack().apiUrl}/v1/forms/${form.id}/responses`,
        closesAt: expect.any(String),
        readableUntil: expect.any(String),
        maxResponses: 100,
        status: 'open',
      });
      expect(Date.parse(form.closesAt)).toBeGreaterThanOrEqual(before + 30 * dayMs);
      expect(Date.parse(form.closesAt)).toBeLessThan(Date.now() + 30 * dayMs + 1_000);
      expect(Date.parse(form.readableUntil) - Date.parse(form.closesAt)).toBe(7 * dayMs);
      expect((await fetch(form.url)).status).toBe(200);
    },
  );
}

test('the official MPP client buys a form at exactly its price', async () => {
  const wallet = await newEvmPayer();
  const url = `${stack().apiUrl}/v1/mpp/forms`;
  const bought = await mppClient(wallet, 'base').fetch(url, { method: 'POST', body });
  expect(bought.status).toBe(200);
  expect(bought.headers.get('payment-receipt')).toBeTruthy();
  const form = (await bought.json()) as CreatedForm;
  expect(await balanceOf(wallet, 'base')).toBe(10_000_000n - 10_000n);
  expect((await readResponses(form)).status).toBe(200);
});

test('a form closes at the time its author chose', async () => {
  const closesAt = new Date(Date.now() + 2 * dayMs).toISOString();
  expect(await buyForm({ ...everyType, closesAt })).toMatchObject({
    closesAt,
    readableUntil: new Date(Date.parse(closesAt) + 7 * dayMs).toISOString(),
  });
});

test('a form of the maximum size is accepted', fullOnly, async () => {
  const options = Array.from({ length: 50 }, (_, index) => `${'界'.repeat(190)} ${index}`);
  const questions = Array(20).fill({
    type: 'multi_choice',
    label: '界'.repeat(300),
    options,
    allowOther: true,
  });
  const form = await buyForm({ title: 'Large', questions });
  const page = await readResponses(form);
  expect((await page.json()).form.questions).toHaveLength(20);
});

test("the read token is replayed only with the caller's own Idempotency-Key", async () => {
  const wallet = await newEvmPayer();
  const key = { 'Idempotency-Key': 'a-key-of-the-buyer' };
  const pay = payingFetch(wallet, 'base');
  const first = await (await pay(formsUrl(), { method: 'POST', body, headers: key })).json();
  const again = await (await pay(formsUrl(), { method: 'POST', body, headers: key })).json();
  expect(again).toEqual(first);
  expect(first.readToken).toBeTruthy();
  expect(await balanceOf(wallet, 'base')).toBe(10_000_000n - 10_000n);
});

test('a replay by the envelope and its claim token alone is answered without the read token', async () => {
  const wallet = await newEvmPayer();
  const headers = paymentHeader(await envelopeFor(formsUrl(), wallet, 'base'));
  const first = await (await fetch(formsUrl(), { method: 'POST', body, headers })).json();
  const again = await fetch(formsUrl(), { method: 'POST', body, headers });
  expect(again.status).toBe(200);
  const { readToken, ...rest } = first;
  expect(readToken).toBeTruthy();
  expect(await again.json()).toEqual(rest);
  expect(await balanceOf(wallet, 'base')).toBe(10_000_000n - 10_000n);
});

test('an MPP replay under the derived key is answered without the read token', async () => {
  const wallet = await newEvmPayer();
  const url = `${stack().apiUrl}/v1/mpp/forms`;
  let authorization = '';
  const client = mppClient(wallet, 'base');
  const challenged = await fetch(url, { method: 'POST', body });
  authorization = await client.createCredential(challenged);
  const send = () => fetch(url, { method: 'POST', body, headers: { Authorization: authorization } });
  const [first, again] = [await send(), await send()];
  expect([first.status, again.status]).toEqual([200, 200]);
  expect((await first.json()).readToken).toBeTruthy();
  expect(await again.json()).not.toHaveProperty('readToken');
});

test('responses can be read only with the read token', async () => {
  const [form, other] = [await buyForm(short), await buyForm(short)];
  const without = await fetch(form.responsesUrl);
  expect(without.headers.get('www-authenticate')).toBe('Bearer');
  await expectError(without, 'read_token_required');
  await expectError(await readResponses({ ...form, readToken: other.readToken }), 'read_token_wrong');
  await expectError(
    await readResponses({ ...form, readToken: form.readToken.toLowerCase() }),
    'read_token_wrong',
  );
  const unknown = `${stack().apiUrl}/v1/forms/fm_000000000000000000000000/responses`;
  await expectError(await readResponses({ ...form, responsesUrl: unknown }), 'form_not_found');
  expect((await readResponses(form)).status).toBe(200);
  const [row] = await sql<{ read_token_hash: Buffer }>('SELECT read_token_hash FROM form WHERE id = $1', [
    form.id,
  ]);
  expect(row?.read_token_hash.toString('latin1')).not.toContain(form.readToken.slice(4, 20));
});

test('responses are paged, oldest first, exactly as they were given', async () => {
  const form = await buyForm();
  const empty = await (await readResponses(form)).json();
  expect(empty).toMatchObject({
    responses: [],
    nextCursor: 'r0',
    form: { status: 'open', responseCount: 0 },
  });
  for (const name of ['Ada', 'Grace', 'Mary']) {
    const fields = {
      q_name: name,
      q_mail: 'a@example.com',
      q_food: 'other',
      o_food: 'Bread',
      q_days: ['0', '2'],
    };
    const sent = await postPage(form.url, { ...fields, q_guests: '2', stamp: stampOfAge(form.id, 5_000) });
    expect(sent.status).toBe(303);
  }
  const first = await (await readResponses(form, '?limit=2')).json();
  expect(first.form).toMatchObject({ title: everyType.title, responseCount: 3, maxResponses: 100 });
  expect(first.form.questions.map(({ id }: { id: string }) => id)).toEqual(
    everyType.questions.map(({ id }) => id),
  );
  expect(first.responses[0]).toEqual({
    id: expect.stringMatching(/^fr_/),
    submittedAt: expect.any(String),
    answers: { name: 'Ada', mail: 'a@example.com', guests: 2, food: 'Bread', days: ['Friday', 'Sunday'] },
  });
  expect(first.responses).toHaveLength(2);
  const second = await (await readResponses(form, `?cursor=${first.nextCursor}`)).json();
  expect(second.responses.map((one: { answers: { name: string } }) => one.answers.name)).toEqual(['Mary']);
  const third = await (await readResponses(form, `?cursor=${second.nextCursor}`)).json();
  expect(third).toMatchObject({ responses: [], nextCursor: second.nextCursor });
});

test('an invalid query gets an error that names the parameter', async () => {
  const form = await buyForm(short);
  for (const [query, path] of [
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?wait=61', 'wait'],
    ['?wait=soon', 'wait'],
    ['?cursor=7', 'cursor'],
    ['?page=2', 'query'],
  ] as const) {
    expect((await expectError(await readResponses(form, query), 'invalid_input')).issues?.[0]?.path).toBe(
      path,
    );
  }
});

test('clients that prefer CSV get it, without formulas', async () => {
  const form = await buyForm({
    title: 'Cells',
    questions: [
      { id: 'a', type: 'text', label: '=HYPERLINK("http://evil.example")' },
      { id: 'n', type: 'number', label: 'Number' },
      { id: 'm', type: 'multi_choice', label: 'Many', options: ['one', 'two'] },
    ],
  });
  const evil = ['=1+1', '+1', '-1', '@SUM(A1)', '＝1', 'He said "hi", twice'];
  for (const text of evil) {
    const fields = { q_a: text, q_n: '-5', q_m: ['0', '1'], stamp: stampOfAge(form.id, 5_000) };
    expect((await postPage(form.url, fields)).status).toBe(303);
  }
  const csv = await readResponses(form, '', { Accept: 'text/csv' });
  expect(csv.headers.get('content-type')).toContain('text/csv');
  expect(csv.headers.get('content-disposition')).toContain('attachment');
  const [header, ...rows] = (await csv.text()).trimEnd().split('\r\n');
  expect(header).toBe(
    `"id","submittedAt","'=HYPERLINK(""http://evil.example"")","Number","Many","recipient","deletedAt"`,
  );
  const cells = rows.map((row) => row.split(',').slice(2).join(','));
  expect(cells).toEqual([
    ...["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'＝1"].map((cell) => `"${cell}",-5,"one; two",,`),
    '"He said ""hi"", twice",-5,"one; two",,',
  ]);
  const forExcel = await readResponses(form, '?bom=true', { Accept: 'text/csv' });
  // `text` of a response drops the mark.
  expect([...new Uint8Array(await forExcel.arrayBuffer()).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  const json = await readResponses(form, '', { Accept: 'application/json, text/csv;q=0.5' });
  expect((await json.json()).responses[0].answers.a).toBe('=1+1');
});

test('a waiting reader gets the next response within a second, and several readers get it', async () => {
  const delays: number[] = [];
  // The fastest of three tries counts, because a busy machine may be late.
  for (const text of ['hello', 'again', 'and again']) {
    const form = await buyForm(short);
    const waiting = [1, 2, 3].map(() => readResponses(form, '?wait=30').then((page) => page.json()));
    // The readers are waiting once the server answers another request for the same form.
    await readResponses(form);
    const sentAt = Date.now();
    await answer(form, text);
    const pages = await Promise.all(waiting);
    delays.push(Date.now() - sentAt);
    for (const page of pages) expect(page.responses[0].answers).toEqual({ a: text });
  }
  expect(Math.min(...delays)).toBeLessThan(1_000);
});

test('a reader waits as long as it asked, then gets an empty page', fullOnly, async () => {
  const form = await buyForm(short);
  const askedAt = Date.now();
  const page = await (await readResponses(form, '?wait=1')).json();
  expect(page.responses).toEqual([]);
  expect(Date.now() - askedAt).toBeGreaterThanOrEqual(1_000);
});

test('reading a closed form does not wait', async () => {
  const form = await buyForm(short);
  await sql(`UPDATE form SET closes_at = now() - interval '1 second' WHERE id = $1`, [form.id]);
  const askedAt = Date.now();
  expect((await (await readResponses(form, '?wait=30')).json()).form.status).toBe('closed');
  expect(Date.now() - askedAt).toBeLessThan(15_000);
});

test('responses are stored encrypted, and erased when they may no longer be read', async () => {
  const form = await buyForm(short);
  await answer(form, 'a-very-private-answer');
  const [row] = await sql<{ answers: Buffer }>('SELECT answers FROM form_response WHERE form_id = $1', [
    form.id,
  ]);
  expect(row?.answers.toString('latin1')).not.toContain('private');
  await sql(
    `UPDATE form SET closes_at = now() - interval '8 days',
      readable_until = now() - interval '1 second' WHERE id = $1`,
    [form.id],
  );
  await expectError(await readResponses(form), 'form_gone');
  await expectError(await readResponses({ ...form, readToken: 'wrong' }), 'read_token_wrong');
  expect((await fetch(form.url)).status).toBe(410);
});
