import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { expectError, expectUntouched, startAtomic } from '../support/expectations';
import { aFile } from '../support/files';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { buyFile, uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const on = 'base';

type Announcement = ReturnType<typeof aFile>['announcement'];
/** What is sent, where it is wrong, and the rule that the error names. */
type Case = readonly [
  what: string,
  change: (honest: Announcement) => object,
  path: string,
  rule: RegExp | string,
];

const without =
  (field: keyof Announcement) =>
  (honest: Announcement): object =>
    Object.fromEntries(Object.entries(honest).filter(([name]) => name !== field));
const withField = (field: string, value: unknown) => (honest: Announcement) => ({
  ...honest,
  [field]: value,
});

const cases: readonly Case[] = [
  ['no mime', without('mime'), 'mime', 'is required'],
  ['a mime with a line break', withField('mime', 'text/plain\r\nX-Evil: 1'), 'mime', /^must be /],
  ['a size of 0', withField('size', 0), 'size', 'must be at least 1'],
  ['a fractional size', withField('size', 1.5), 'size', 'must be an integer'],
  ['a size in a string', withField('size', '64'), 'size', 'must be a number'],
  ['an uppercase sha256', withField('sha256', 'A'.repeat(64)), 'sha256', /^must be /],
  ['hex as sha256Base64', withField('sha256Base64', 'a'.repeat(64)), 'sha256Base64', /^must be /],
  [
    'digests of two files',
    withField('sha256Base64', aFile().announcement.sha256Base64),
    'sha256Base64',
    'must be the base64 form of sha256',
  ],
  [
    '181 characters of name',
    withField('filename', 'n'.repeat(181)),
    'filename',
    'must have at most 180 characters',
  ],
  ['another tier', withField('tier', 'long-10mb'), 'tier', 'must be short-10mb'],
  ['21 tags', withField('tags', Array(21).fill('t')), 'tags', 'must have at most 20 items'],
  ['an empty tag', withField('tags', ['a', '']), 'tags.1', 'must not be empty'],
  ['a field too many', withField('owner', '0x0'), 'owner', 'is not a known field'],
  ['a list for a body', (honest) => [honest], 'body', 'must be an object'],
  ['a mime without a subtype', withField('mime', 'text/'), 'mime', /^must be /],
  [
    'a mime of 121 characters',
    withField('mime', `text/${'x'.repeat(116)}`),
    'mime',
    'must have at most 120 characters',
  ],
  ['a mime that is none', withField('mime', 'plain'), 'mime', /^must be /],
  ['a mime that is a list', withField('mime', ['text/plain']), 'mime', 'must be a string'],
  ['no size', without('size'), 'size', 'is required'],
  ['a negative size', withField('size', -1), 'size', 'must be at least 1'],
  ['a null size', withField('size', null), 'size', 'must be a number'],
  ['no sha256', without('sha256'), 'sha256', 'is required'],
  ['a short sha256', withField('sha256', 'ab12'), 'sha256', /^must be /],
  ['a sha256 with a line break', withField('sha256', `${'a'.repeat(64)}\n`), 'sha256', /^must be /],
  ['no sha256Base64', without('sha256Base64'), 'sha256Base64', 'is required'],
  ['base64url', withField('sha256Base64', `${'-'.repeat(43)}=`), 'sha256Base64', /^must be /],
  ['a number as its filename', withField('filename', 5), 'filename', 'must be a string'],
  ['a tag of 65', withField('tags', ['t'.repeat(65)]), 'tags.0', 'must have at most 64 characters'],
  ['a tag that is no text', withField('tags', [1]), 'tags.0', 'must be a string'],
  ['a tag with NUL', withField('tags', ['a\0b']), 'tags.0', 'must be well-formed text without NUL'],
  ['half a surrogate', withField('tags', ['a\ud800']), 'tags.0', 'must be well-formed text without NUL'],
  ['tags that are no list', withField('tags', 'a,b'), 'tags', 'must be an array'],
  ['a field with a strange name', withField('<script>', 1), 'body', 'is not a known field'],
];

test('wrong fields of an upload request are refused uncharged, each with its name and rule, and can be corrected', async () => {
  const wallet = await newEvmPayer(startAtomic, [on]);
  const headers = paymentHeader(await envelopeFor(uploadsUrl(), wallet, on));
  const { announcement, body } = aFile();
  for (const [what, change, path, rule] of cases) {
    const wrong = JSON.stringify(change(announcement));
    const answer = await fetch(uploadsUrl(), { method: 'POST', headers, body: wrong });
    const { reason, issues } = await expectError(answer, 'invalid_input');
    const matching = rule instanceof RegExp ? expect.stringMatching(rule) : rule;
    expect({ reason, issues }, what).toEqual({ reason: 'invalid_input', issues: [{ path, rule: matching }] });
  }
  await expectUntouched(wallet, on);
  const corrected = await fetch(uploadsUrl(), { method: 'POST', headers, body });
  expect(corrected.status).toBe(200);
  expect(await balanceOf(wallet, on)).toBe(startAtomic - 5_000n);
});

const notJson: readonly (readonly [string, string | Uint8Array<ArrayBuffer>])[] = [
  ['nothing', ''],
  ['half of it', '{"mime":"text/plain",'],
  ['a form', 'mime=text%2Fplain&size=5'],
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
];

test('a body that is no JSON is refused, uncharged', async () => {
  const wallet = await newEvmPayer(startAtomic, [on]);
  const headers = paymentHeader(await envelopeFor(uploadsUrl(), wallet, on));
  for (const [what, body] of notJson) {
    const answer = await fetch(uploadsUrl(), { method: 'POST', headers, body });
    expect(await expectError(answer, 'invalid_input'), what).toMatchObject({
      reason: 'invalid_json',
      issues: [{ path: 'body', rule: 'must be JSON in UTF-8' }],
    });
  }
  await expectUntouched(wallet, on);
});

test('a file one byte over the limit gets 413 uncharged, and one of exactly the limit is accepted', async () => {
  const wallet = await newEvmPayer(startAtomic, [on]);
  const headers = paymentHeader(await envelopeFor(uploadsUrl(), wallet, on));
  const { announcement } = aFile();
  const post = (size: number) =>
    fetch(uploadsUrl(), { method: 'POST', headers, body: JSON.stringify({ ...announcement, size }) });
  const error = await expectError(await post(10_485_761), 'file_too_large');
  expect(error.issues).toEqual([{ path: 'size', rule: 'must be at most 10485760' }]);
  await expectUntouched(wallet, on);
  expect((await post(10_485_760)).status).toBe(200);
});

for (const framing of ['announced', 'chunked'] as const) {
  test(`a body over 64 KB, ${framing}, gets 413 and charges nothing`, async () => {
    const wallet = await newEvmPayer(startAtomic, [on]);
    const headers = paymentHeader(await envelopeFor(uploadsUrl(), wallet, on));
    const text = JSON.stringify({ ...aFile().announcement, tags: ['x'.repeat(70_000)] });
    const body = framing === 'announced' ? text : new Blob([text]).stream();
    const answer = await fetch(uploadsUrl(), {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit);
    await expectError(answer, 'body_too_large');
    await expectUntouched(wallet, on);
  });
}

test('an error names at most three faults and never repeats the input', async () => {
  const wallet = await newEvmPayer(startAtomic, [on]);
  const headers = paymentHeader(await envelopeFor(uploadsUrl(), wallet, on));
  const secret = 'correct-horse-battery-staple';
  const fields = ['mime', 'size', 'sha256', 'sha256Base64', 'tier', 'tags', `f ${secret}`];
  const body = JSON.stringify(Object.fromEntries(fields.map((field) => [field, secret])));
  const answer = await fetch(uploadsUrl(), { method: 'POST', headers, body });
  expect(await answer.clone().text()).not.toContain(secret);
  expect((await expectError(answer, 'invalid_input')).issues).toHaveLength(3);
  await expectUntouched(wallet, on);
});

for (const network of ['base', 'solana-mainnet'] as const) {
  test(`a renewal on ${network} takes no body or an empty object`, async () => {
    const wallet = network === 'base' ? await newEvmPayer(startAtomic, [on]) : await newSolanaPayer();
    const { id } = await buyFile(wallet, network);
    const url = `${uploadsUrl()}/${id}/renew`;
    const headers = paymentHeader(await envelopeFor(url, wallet, network));
    const refused = await fetch(url, { method: 'POST', headers, body: '{"days":30}' });
    const error = await expectError(refused, 'invalid_input');
    expect(error.issues).toEqual([{ path: 'body', rule: 'must be empty: this call takes no body' }]);
    expect(await balanceOf(wallet, network)).toBe(startAtomic - 5_000n);
    expect((await fetch(url, { method: 'POST', headers, body: ' {} ' })).status).toBe(200);
    expect(await balanceOf(wallet, network)).toBe(startAtomic - 10_000n);
  });
}

for (const id of ['x'.repeat(65), 'up_%27%20OR%201=1', 'up_%00', '%3Cscript%3E']) {
  test(`the id ${id.slice(0, 20)} is refused without a charge`, async () => {
    const wallet = await newEvmPayer(startAtomic, [on]);
    const headers = paymentHeader(await envelopeFor(`${uploadsUrl()}/up_1`, wallet, on, 'DELETE'));
    const answer = await fetch(`${uploadsUrl()}/${id}`, { method: 'DELETE', headers });
    // A path with a null character is malformed, whatever it names.
    await expectError(answer, id.includes('%00') ? 'malformed_request' : 'upload_not_found');
    await expectUntouched(wallet, on);
  });
}
