import { sql } from '../support/database';
import { stampOfAge } from '../support/form-stamps';
import { buyForm, type CreatedForm, openPage, postPage, readResponses } from '../support/forms';
import { startServer } from '../support/server';
import { stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';

/** What a browser without scripts gets and sends. */

const short = {
  title: 'Short',
  questions: [{ id: 'a', type: 'text', label: 'Favourite colour', required: true }],
};

async function stored(form: CreatedForm): Promise<unknown[]> {
  const page = await (await readResponses(form)).json();
  return page.responses.map(({ answers }: { answers: object }) => answers);
}

test(
  'a form stores exactly 100 of 300 simultaneous posts, and the others get the full page with their answers',
  fullOnly,
  async () => {
    // Behind a proxy, so that the posts come from 300 people and not from one.
    const server = await startServer({ ...stack().serverEnv, TRUSTED_PROXIES: '1', DATABASE_POOL: '10' });
    try {
      const form = await buyForm(short);
      const url = `${server.apiUrl}/f/${form.id}`;
      const answers = await Promise.all(
        Array.from({ length: 300 }, async (_, index) => {
          const fields = { q_a: `answer ${index}`, stamp: stampOfAge(form.id, 5_000) };
          const address = `10.0.${Math.floor(index / 100)}.${index % 100}`;
          const answer = await postPage(url, fields, { 'X-Forwarded-For': `1.2.3.4, ${address}` });
          return { status: answer.status, text: await answer.text(), index };
        }),
      );
      const taken = answers.filter(({ status }) => status === 303);
      const late = answers.filter(({ status }) => status === 409);
      expect([taken.length, late.length]).toEqual([100, 200]);
      for (const { text, index } of late) expect(text).toContain(`answer ${index}<`);
      const page = await (await readResponses(form)).json();
      expect(page.form).toMatchObject({ status: 'full', responseCount: 100 });
      const texts = page.responses.map((one: { answers: { a: string } }) => one.answers.a);
      expect(new Set(texts)).toEqual(new Set(taken.map(({ index }) => `answer ${index}`)));
      const [row] = await sql<{ count: string }>('SELECT count(*) FROM form_response WHERE form_id = $1', [
        form.id,
      ]);
      expect(Number(row?.count)).toBe(100);
      expect((await openPage(form.url)).html).toContain('This form is full');
    } finally {
      await server.stop();
    }
  },
);

test('a response stored by another process wakes a reader waiting in this one', async () => {
  const server = await startServer(stack().serverEnv);
  try {
    const delays: number[] = [];
    // The fastest of three tries counts, because a busy machine may be late.
    for (let time = 0; time < 3; time += 1) {
      const form = await buyForm(short);
      const waiting = readResponses(form, '?wait=30').then((page) => page.json());
      await readResponses(form);
      const sentAt = Date.now();
      const fields = { q_a: 'blue', stamp: stampOfAge(form.id, 5_000) };
      expect((await postPage(`${server.apiUrl}/f/${form.id}`, fields)).status).toBe(303);
      expect((await waiting).responses).toHaveLength(1);
      delays.push(Date.now() - sentAt);
    }
    expect(Math.min(...delays)).toBeLessThan(2_000);
  } finally {
    await server.stop();
  }
});

test('a page submitted twice, in turn or at once, is stored once and thanked for each time', async () => {
  const form = await buyForm(short);
  const fields = { q_a: 'blue', stamp: stampOfAge(form.id, 5_000) };
  const posts = await Promise.all(Array.from({ length: 8 }, () => postPage(form.url, fields)));
  posts.push(await postPage(form.url, fields));
  for (const post of posts) {
    expect(post.status).toBe(303);
    expect(post.headers.get('location')).toBe(`/f/${form.id}/thanks`);
  }
  expect(await stored(form)).toEqual([{ a: 'blue' }]);
});

test('a page submitted again with other answers asks first, then stores a second response', async () => {
  const form = await buyForm(short);
  const fields = { q_a: 'blue', stamp: stampOfAge(form.id, 5_000) };
  expect((await postPage(form.url, fields)).status).toBe(303);
  const asked = await postPage(form.url, { ...fields, q_a: 'green' });
  const html = await asked.text();
  expect(asked.status).toBe(422);
  expect(html).toContain('You have already sent this form');
  expect(html).toContain('value="green"');
  expect(await stored(form)).toEqual([{ a: 'blue' }]);
});

test('an invalid post gets the page again, with every answer and the problem linked to its field', async () => {
  const form = await buyForm({
    title: 'Two',
    questions: [...short.questions, { id: 'b', type: 'long_text', label: 'Why?' }],
  });
  const { stamp } = await openPage(form.url);
  const answer = await postPage(form.url, { q_a: ' ', q_b: 'because\r\nof <this>', stamp });
  const html = await answer.text();
  expect(answer.status).toBe(422);
  expect(html).toContain('<title>Error: Two</title>');
  expect(html).toContain('href="#q_a"');
  expect(html).toContain('because\nof &lt;this&gt;</textarea>');
  expect(html).toContain(`value="${stamp}"`);
  expect(await stored(form)).toEqual([]);
});

for (const [what, change, notice] of [
  [
    'faster than anybody reads',
    (form: CreatedForm) => ({ stamp: stampOfAge(form.id, 0) }),
    'Your answers are still here',
  ],
  [
    'from a page of two days ago',
    (form: CreatedForm) => ({ stamp: stampOfAge(form.id, 172_800_000) }),
    'open for a long',
  ],
  ['without a stamp', () => ({ stamp: '' }), 'Your answers are still here'],
  [
    'with a stamp that we did not make',
    () => ({ stamp: 'l0000000.abcdefgh.c2lnbmF0dXJl' }),
    'Your answers are still here',
  ],
  [
    'with the stamp of another form',
    () => ({ stamp: stampOfAge('fm_another', 5_000) }),
    'Your answers are still here',
  ],
  [
    'with something behind the stamp',
    (form: CreatedForm) => ({ stamp: `${stampOfAge(form.id, 5_000)}.x` }),
    'Your answers are still here',
  ],
  [
    'with the field filled in that nobody sees',
    (form: CreatedForm) => ({ stamp: stampOfAge(form.id, 5_000), contact_me_by: 'spam' }),
    'Your answers are still here',
  ],
] as const) {
  test(`a post ${what} is not stored, and keeps its answers`, async () => {
    const form = await buyForm(short);
    const answer = await postPage(form.url, { q_a: 'blue', ...change(form) });
    const html = await answer.text();
    expect(answer.status).toBe(422);
    expect(html).toContain(notice);
    expect(html).toContain('value="blue"');
    expect(await stored(form)).toEqual([]);
  });
}

test('a cross-site post is not stored', async () => {
  const form = await buyForm(short);
  const fields = () => ({ q_a: 'blue', stamp: stampOfAge(form.id, 5_000) });
  const foreign: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site' },
    { Origin: 'https://evil.example' },
  ];
  for (const headers of foreign) {
    expect((await postPage(form.url, fields(), headers)).status).toBe(422);
  }
  expect(await stored(form)).toEqual([]);
  const own = await postPage(form.url, fields(), { Origin: stack().apiUrl });
  expect(own.status).toBe(303);
});

test('a response that comes too late is not stored, but shown so that it can be copied', async () => {
  const form = await buyForm(short);
  await sql(`UPDATE form SET closes_at = now() - interval '1 second' WHERE id = $1`, [form.id]);
  const answer = await postPage(form.url, { q_a: 'too late <b>', stamp: stampOfAge(form.id, 5_000) });
  const html = await answer.text();
  expect(answer.status).toBe(409);
  expect(html).toContain('This form is closed');
  expect(html).toContain('too late &lt;b&gt;');
  expect(await stored(form)).toEqual([]);
  const page = await openPage(form.url);
  expect(page.status).toBe(200);
  expect(page.html).toContain('This form is closed');
});

test('a page submitted before the form closed is thanked for when it is submitted again', async () => {
  const form = await buyForm(short);
  const fields = { q_a: 'blue', stamp: stampOfAge(form.id, 5_000) };
  expect((await postPage(form.url, fields)).status).toBe(303);
  await sql(`UPDATE form SET closes_at = now() - interval '1 second' WHERE id = $1`, [form.id]);
  expect((await postPage(form.url, fields)).status).toBe(303);
});

test('an address that posts too often is asked to wait, and keeps its answers', async () => {
  const form = await buyForm(short);
  const send = () => postPage(form.url, { q_a: 'again', stamp: stampOfAge(form.id, 5_000) });
  const refused: Response[] = [];
  // A slow machine regains some of the limit in the meantime.
  for (let round = 1; round <= 5 && refused.length === 0; round += 1) {
    const posts = await Promise.all(Array.from({ length: 61 }, send));
    refused.push(...posts.filter(({ status }) => status === 429));
  }
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused[0]?.text()).toContain('value="again"');
  const keys = await sql<{ key: string }>('SELECT key FROM attempt');
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter(({ key }) => /127\.0\.0\.1|::1/.test(key))).toEqual([]);
});

test('malformed and endless posts get an error page and store nothing', async () => {
  const form = await buyForm(short);
  const json = await fetch(form.url, {
    method: 'POST',
    body: '{}',
    headers: { 'Content-Type': 'application/json' },
  });
  expect(json.status).toBe(400);
  const large = await postPage(form.url, { q_a: 'x'.repeat(1_100_000), stamp: stampOfAge(form.id, 5_000) });
  expect(large.status).toBe(413);
  expect(large.headers.get('content-type')).toContain('text/html');
  expect(await stored(form)).toEqual([]);
});

test('unknown, closed and deleted forms have their own pages', async () => {
  const missing = await fetch(`${stack().apiUrl}/f/fm_000000000000000000000000`, {
    headers: { 'Accept-Language': 'de' },
  });
  expect(missing.status).toBe(404);
  expect(await missing.text()).toContain('Unter dieser Adresse gibt es kein Formular');
  expect((await openPage(`${stack().apiUrl}/f/..%2f..%2fetc`)).status).toBe(404);
});

test('the page allows only its own scripts, styles and addresses, and no frames', async () => {
  const form = await buyForm(short);
  const answer = await fetch(form.url);
  const csp = answer.headers.get('content-security-policy') ?? '';
  expect(csp).toMatch(/^default-src 'none'; script-src 'nonce-[A-Za-z0-9+/=]{20,}';/);
  expect(csp).toContain("frame-ancestors 'none'");
  expect(csp).not.toMatch(/unsafe|https?:|\*/);
  expect(answer.headers.get('x-robots-tag')).toContain('noindex');
  expect(answer.headers.get('referrer-policy')).toBe('same-origin');
  expect(answer.headers.get('x-frame-options')).toBe('DENY');
  const html = await answer.text();
  const addresses = [...html.matchAll(/\b(?:src|href|action)="([^"]*)"/g)].map(
    ([, address]) => address ?? '',
  );
  expect(addresses.length).toBeGreaterThan(3);
  expect(
    addresses.filter((address) => !/^(\/f\/|#|\/(?:favicon\.svg|terms|privacy|contact)$)/.test(address)),
  ).toEqual([]);
});

test('authors can write only plain text', async () => {
  const evil = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"'`;
  const form = await buyForm({
    title: `T ${evil}`,
    description: `D ${evil}`,
    thankYou: `Y ${evil}`,
    submitLabel: 'Go <b>',
    questions: [{ type: 'choice', label: `L ${evil}`, help: `H ${evil}`, options: [`O ${evil}`, 'other'] }],
  });
  for (const url of [form.url, `${form.url}/thanks`, `${form.url}/report`]) {
    const { html } = await openPage(url);
    expect(html).not.toMatch(/<img|alert\(1\)<\/script>|<b>/);
  }
});

test('a report is stored for the operator', async () => {
  const form = await buyForm(short);
  const url = `${form.url}/report`;
  expect((await postPage(url, { reason: 'nonsense' })).status).toBe(422);
  const sent = await postPage(url, { reason: 'pretends', details: 'It says that it is my bank.' });
  expect(await sent.text()).toContain('Your report was sent');
  const rows = await sql<{ reason: string; details: Buffer }>(
    'SELECT * FROM abuse_report WHERE target_id = $1',
    [form.id],
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.reason).toBe('pretends');
  expect(rows[0]?.details.toString('latin1')).not.toContain('bank');
});

test('the summary quotes labels apart from its own sentences, cuts long ones, and each field does not repeat its own', async () => {
  const long = `${'x'.repeat(150)}\nend`;
  const form = await buyForm({
    title: 'Labels',
    questions: [
      { id: 'a', type: 'text', label: 'شروط <b>', required: true },
      { id: 'b', type: 'text', label: long, required: true },
      { id: 'c', type: 'text', label: 'If you could choose one thing, then something else', required: true },
      {
        id: 'd',
        type: 'text',
        label: 'Which of these would you recommend to another person, then somebody',
        required: true,
      },
    ],
  });
  const html = await (await postPage(form.url, { stamp: stampOfAge(form.id, 5_000) })).text();
  expect(html.match(/“<bdi>شروط &lt;b&gt;<\/bdi>” is required/g)).toHaveLength(1);
  expect(html).toContain(`<bdi>${'x'.repeat(60)}…</bdi>`);
  expect(html).toContain('<bdi>If you could choose one thing, then something else</bdi>');
  expect(html).toContain('<bdi>Which of these would you recommend to another person, then…</bdi>');
  expect(html.match(/<\/span>This question is required/g)).toHaveLength(4);
});

test('a report whose details are too long is returned with them', async () => {
  const form = await buyForm(short);
  const answer = await postPage(`${form.url}/report`, { reason: 'harm', details: 'x'.repeat(1_001) });
  const html = await answer.text();
  expect(answer.status).toBe(422);
  expect(html).toContain('must be 1,000 characters or fewer');
  expect(html).toContain('href="#details"');
  expect(html).toContain(`${'x'.repeat(1_001)}</textarea>`);
});

test('only the person who sent a response sees a copy of it, with its reference, and only for an hour', async () => {
  const form = await buyForm({
    ...short,
    questions: [...short.questions, { id: 'b', type: 'text', label: 'Why?' }],
  });
  const sent = await postPage(form.url, { q_a: 'blue <b>', stamp: stampOfAge(form.id, 5_000) });
  const cookie = sent.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(
    new RegExp(`^form-copy=[^;]+; Path=/f/${form.id}/thanks; Max-Age=3600; HttpOnly; SameSite=Strict`),
  );
  expect(sent.headers.get('location')).toBe(`/f/${form.id}/thanks`);
  const show = async (headers: Record<string, string>) => {
    const answer = await fetch(`${form.url}/thanks`, { headers });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    return answer.text();
  };
  const own = { Cookie: cookie.split(';')[0] ?? '' };
  const page = await (await readResponses(form)).json();
  const copy = await show(own);
  expect(copy).toContain(`>${page.responses[0].id}<`);
  expect(copy).toContain(`dateTime="${page.responses[0].submittedAt}"`);
  expect(copy).toContain('blue &lt;b&gt;');
  expect(copy).toContain('Not answered');
  const others: Record<string, string>[] = [
    {},
    { Cookie: `form-copy=${stampOfAge(form.id, 5_000)}` },
    { Cookie: 'form-copy=x' },
  ];
  for (const headers of others) expect(await show(headers)).not.toMatch(/blue|fr_/);
  await sql(`UPDATE form_response SET submitted_at = now() - interval '61 minutes' WHERE form_id = $1`, [
    form.id,
  ]);
  expect(await show(own)).not.toMatch(/blue|fr_/);
});

test('a question with a single box offers no choice of several, and its answer is stored', async () => {
  const consent = { type: 'multi_choice', label: 'Consent', options: ['I agree'], required: true };
  const form = await buyForm({ title: 'Consent', questions: [{ id: 'c', ...consent }] });
  // The words of all hints come after it, for the script of the page.
  const [shown = ''] = (await (await fetch(form.url)).text()).split('<script type="application/json"');
  expect(shown).toContain('I agree');
  expect(shown).not.toContain('Select all that apply');
  expect((await postPage(form.url, { q_c: '0', stamp: stampOfAge(form.id, 5_000) })).status).toBe(303);
  expect(await stored(form)).toEqual([{ c: ['I agree'] }]);
});
