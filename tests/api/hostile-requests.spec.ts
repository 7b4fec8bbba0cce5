import { expect, test } from '@playwright/test';
import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { callsOf } from '../support/database';
import { aFile } from '../support/files';
import { newEvmPayer } from '../support/payers';
import { stack } from '../support/stack';
import { uploadsUrl } from '../support/uploads';

const base64 = (text: string) => Buffer.from(text).toString('base64');

const headers: readonly [string, string, number][] = [
  ['empty', '', 402],
  ['not base64', '!!!', 402],
  ['binary', base64('\u0000\u0001\uffff'), 402],
  ['truncated JSON', base64('{"x402Version":2,'), 402],
  ['JSON null', base64('null'), 402],
  ['a number', base64('2'), 402],
  ['an array', base64('[]'), 402],
  ['three thousand nested arrays', base64('['.repeat(3_000) + ']'.repeat(3_000)), 402],
  ['a prototype', base64('{"__proto__":{"x402Version":2},"constructor":1}'), 402],
  ['two, joined by a comma', 'e30=,e30=', 402],
  ['8 KB', 'A'.repeat(8 * 1024), 402],
  ['16 KB', 'A'.repeat(16 * 1024), 402],
  ['31 KB', 'A'.repeat(31 * 1024), 402],
  ['64 KB', 'A'.repeat(64 * 1024), 431],
];

for (const [words, value, status] of headers) {
  test(`a payment header that is ${words} gets ${status}`, async () => {
    const answer = await fetch(uploadsUrl(), {
      method: 'POST',
      headers: { 'PAYMENT-SIGNATURE': value },
      body: aFile().body,
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('request-id')).toMatch(/^req_/);
  });
}

test('two different payments in one request are refused, two equal ones are one', async () => {
  const wallet = await newEvmPayer();
  const one = paymentHeader(await envelopeFor(uploadsUrl(), wallet, 'base'))['PAYMENT-SIGNATURE'];
  const other = paymentHeader(await envelopeFor(uploadsUrl(), wallet, 'base'))['PAYMENT-SIGNATURE'];
  const send = (first: string, second: string) =>
    fetch(uploadsUrl(), {
      method: 'POST',
      headers: { 'PAYMENT-SIGNATURE': first, 'X-PAYMENT': second },
      body: aFile().body,
    });
  const refused = await send(one, other);
  expect(refused.status).toBe(402);
  expect((await refused.json()).error).toBe('ambiguous_payment');
  expect(await balanceOf(wallet, 'base')).toBe(10_000_000n);
  expect((await send(one, one)).status).toBe(200);
});

const inputs: readonly [string, object | string, number, string, { path: string; rule: unknown }[]][] = [
  ['is not JSON', '{', 400, 'invalid_input', [{ path: 'body', rule: 'must be JSON in UTF-8' }]],
  ['is an array', '[]', 400, 'invalid_input', [{ path: 'body', rule: 'must be of type object' }]],
  ['lacks a type', { mime: undefined }, 400, 'invalid_input', [{ path: 'mime', rule: 'required' }]],
  [
    'has an empty type',
    { mime: '' },
    400,
    'invalid_input',
    [
      { path: 'mime', rule: 'at least 1 characters' },
      { path: 'mime', rule: expect.stringContaining('must match') },
    ],
  ],
  [
    'has a type with a line break',
    { mime: 'text/plain\r\nX: y' },
    400,
    'invalid_input',
    [{ path: 'mime', rule: expect.stringContaining('must match') }],
  ],
  ['has no bytes', { size: 0 }, 400, 'invalid_input', [{ path: 'size', rule: 'at least 1' }]],
  ['has half a byte', { size: 1.5 }, 400, 'invalid_input', [{ path: 'size', rule: 'must be of type int' }]],
  [
    'has a size in words',
    { size: '5' },
    400,
    'invalid_input',
    [{ path: 'size', rule: 'must be of type number' }],
  ],
  [
    'is larger than 10 MiB',
    { size: 10_485_761 },
    413,
    'file_too_large',
    [{ path: 'size', rule: 'at most 10485760' }],
  ],
  [
    'has a digest in capitals',
    { sha256: 'A'.repeat(64) },
    400,
    'invalid_input',
    [{ path: 'sha256', rule: expect.any(String) }],
  ],
  [
    'has a digest of another form',
    { sha256Base64: 'x' },
    400,
    'invalid_input',
    [{ path: 'sha256Base64', rule: expect.any(String) }],
  ],
  [
    'has two digests that differ',
    { sha256: '0'.repeat(64) },
    400,
    'invalid_input',
    [{ path: 'sha256Base64', rule: expect.any(String) }],
  ],
  [
    'has another tier',
    { tier: 'long' },
    400,
    'invalid_input',
    [{ path: 'tier', rule: expect.stringContaining('short-10mb') }],
  ],
  [
    'has too many tags',
    { tags: Array(21).fill('a') },
    400,
    'invalid_input',
    [{ path: 'tags', rule: 'at most 20 items' }],
  ],
  [
    'has an empty tag',
    { tags: ['a', ''] },
    400,
    'invalid_input',
    [{ path: 'tags.1', rule: 'at least 1 characters' }],
  ],
  [
    'has a long name',
    { filename: 'x'.repeat(181) },
    400,
    'invalid_input',
    [{ path: 'filename', rule: 'at most 180 characters' }],
  ],
  [
    'has a field of its own',
    { colour: 'red' },
    400,
    'invalid_input',
    [{ path: 'colour', rule: 'no such field' }],
  ],
  ['is larger than 64 KB', { filename: 'x'.repeat(70_000) }, 413, 'body_too_large', []],
];

for (const [words, change, status, code, issues] of inputs) {
  test(`a paid request whose body ${words} gets ${status}, uncharged, and the payment is still good`, async () => {
    const wallet = await newEvmPayer();
    const headers = paymentHeader(await envelopeFor(uploadsUrl(), wallet, 'base'));
    const { announcement, body } = aFile();
    const bad = typeof change === 'string' ? change : JSON.stringify({ ...announcement, ...change });
    const refused = await fetch(uploadsUrl(), { method: 'POST', headers, body: bad });
    expect(refused.status).toBe(status);
    const { error } = await refused.json();
    expect(error).toMatchObject({ code, payment: 'none', retry: 'fix_input', requestId: expect.any(String) });
    expect(error.docs).toBe(`${stack().apiUrl}/docs/errors#${code}`);
    expect(error.issues ?? []).toEqual(issues);
    expect(await balanceOf(wallet, 'base')).toBe(10_000_000n);
    expect(await callsOf(wallet.address)).toBe(0);
    expect((await fetch(uploadsUrl(), { method: 'POST', headers, body })).status).toBe(200);
  });
}

test('at most three issues are told, and nothing of what was sent', async () => {
  const headers = paymentHeader(await envelopeFor(uploadsUrl(), await newEvmPayer(), 'base'));
  const body = JSON.stringify({ mime: 'sneaky-content', size: -7, sha256: 'sneaky', sha256Base64: 'sneaky' });
  const answer = await fetch(uploadsUrl(), { method: 'POST', headers, body });
  const text = await answer.text();
  expect(JSON.parse(text).error.issues).toHaveLength(3);
  expect(text).not.toContain('sneaky');
});

const strangePaths: readonly [string, string, number[]][] = [
  ['GET', '/v1/uploads', [405]],
  ['PUT', '/v1/uploads', [405]],
  ['PATCH', '/v1/uploads/up_1', [405]],
  ['GET', '/v1/uploads/up_1', [405]],
  ['POST', '/v1/uploads/', [308, 402]],
  ['POST', '//v1/uploads', [308, 402, 404]],
  ['POST', '/v1/%75ploads', [402, 404]],
  ['POST', '/v1/uploads/%2e%2e/uploads', [402, 404, 405]],
  ['POST', '/V1/UPLOADS', [404, 405]],
  ['POST', '/v1/nothing', [404]],
  ['POST', '/_next/data/x/v1/uploads.json', [404, 405]],
];

for (const [method, path, statuses] of strangePaths) {
  test(`${method} ${path} never serves unpaid`, async () => {
    const answer = await fetch(`${stack().apiUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: { 'x-middleware-subrequest': 'middleware', 'X-HTTP-Method-Override': 'POST' },
    });
    expect(statuses).toContain(answer.status);
  });
}

test('the address in a challenge is the configured one, whatever the request says of its host', async () => {
  const answer = await fetch(uploadsUrl(), {
    method: 'POST',
    headers: { 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' },
  });
  expect((await answer.json()).resource.url).toBe(`${stack().apiUrl}/v1/uploads`);
});

test('a browser may send the payment headers and read the receipts', async () => {
  const answer = await fetch(uploadsUrl(), {
    method: 'OPTIONS',
    headers: { Origin: 'https://agent.example', 'Access-Control-Request-Headers': 'payment-signature' },
  });
  expect(answer.ok).toBe(true);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-allow-headers')).toContain('PAYMENT-SIGNATURE');
  expect(answer.headers.get('access-control-expose-headers')).toContain('PAYMENT-REQUIRED');
});
