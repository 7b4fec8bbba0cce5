import { type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { documents } from '@/lib/discovery/documents';
import { stack } from '../support/stack';
import { byTheFramework, isStartedByNext } from '../support/started-by';
import { expect, test } from '../support/without-browser';

test.skip(isStartedByNext, byTheFramework);

/** Documents and pages that our listener holds in memory, compared as bytes on the wire, because fetch would decompress them. */

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

function send(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(stack().apiUrl + path, { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

const decompress: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes,
};
const codings = Object.keys(decompress);

const html = { Accept: 'text/html' };
const markdown = { Accept: 'text/markdown' };
const held: readonly (readonly [path: string, headers: Record<string, string>])[] = [
  ...Object.keys(documents).map((path) => [path, {}] as const),
  ['/', html],
  ['/', markdown],
  ['/docs', html],
  ['/docs/errors', {}],
  ['/docs/errors.md', html],
  ['/docs/reference', html],
  ['/docs/reference/forms', html],
  ['/docs/paying-with-x402', markdown],
];

test('documents and pages are the same in every coding, and each coding has its own ETag', async () => {
  for (const [path, headers] of held) {
    const answers = await Promise.all(
      codings.map((coding) => send(path, { ...headers, 'Accept-Encoding': coding })),
    );
    const texts = answers.map(({ bytes }, at) => decompress[codings[at] ?? '']?.(bytes).toString());
    expect(new Set(texts).size, path).toBe(1);
    expect(texts[0]?.length, path).toBeGreaterThan(20);
    expect(new Set(answers.map((answer) => answer.headers.etag)).size, path).toBe(codings.length);
    for (const [at, answer] of answers.entries()) {
      const coding = codings[at] === 'identity' ? undefined : codings[at];
      expect([path, answer.status, answer.headers['content-encoding']]).toEqual([path, 200, coding]);
      expect(answer.headers.vary, path).toMatch(/(^|, )Accept-Encoding$/);
      expect(Number(answer.headers['content-length']), path).toBe(answer.bytes.length);
    }
  }
});

/** The headers that belong to the content, not to the transfer. */
function constantHeaders({ headers }: Answer) {
  const { date, 'request-id': id, connection, 'keep-alive': keepAlive, ...constant } = headers;
  return constant;
}

test('HEAD has the headers of GET, and the ETag of one coding gets 304 for that coding alone', async () => {
  for (const [path, headers] of held) {
    for (const coding of codings) {
      const asked = { ...headers, 'Accept-Encoding': coding };
      const [get, head] = [await send(path, asked), await send(path, asked, 'HEAD')];
      expect(head.bytes.length, path).toBe(0);
      expect(constantHeaders(head), path).toEqual(constantHeaders(get));
      const again = await send(path, { ...asked, 'If-None-Match': `"other", W/${get.headers.etag}` });
      expect([path, again.status, again.bytes.length]).toEqual([path, 304, 0]);
      const { 'content-encoding': _, 'content-length': __, ...unchanged } = constantHeaders(get);
      expect(constantHeaders(again), path).toEqual(unchanged);
      const others = codings.filter((other) => other !== coding);
      const changed = await send(path, {
        ...asked,
        'Accept-Encoding': others[0] ?? '',
        'If-None-Match': get.headers.etag ?? '',
      });
      expect([path, changed.status]).toEqual([path, 200]);
    }
  }
});

test('a coding that the client refuses or that we do not have is not sent', async () => {
  const sent = async (header: string) =>
    (await send('/openapi.json', { 'Accept-Encoding': header })).headers['content-encoding'];
  expect(await sent('br;q=0, gzip')).toBe('gzip');
  expect(await sent('gzip;q=0.000,br;q=0.0')).toBe(undefined);
  expect(await sent('GZIP;q=0.5')).toBe('gzip');
  for (const header of ['zstd', 'brotli', '', ',,;q=,', '__proto__', 'x'.repeat(8_000)])
    expect([header, await sent(header)]).toEqual([header, undefined]);
});

test('no request changes what later ones get', async () => {
  const first = await send('/openapi.json');
  const front = await send('/', html);
  const hostile: readonly (readonly [path: string, headers: Record<string, string>])[] = [
    ['/openapi.json?a=b', { Host: 'elsewhere.example' }],
    ['/openapi.json', { 'X-Forwarded-Host': 'elsewhere.example', 'X-Forwarded-Proto': 'gopher' }],
    ['/openapi.json', { RSC: '1', 'Next-Router-Prefetch': '1', 'Next-Url': '/docs' }],
    ['/openapi.json', { 'X-Middleware-Rewrite': '/docs', 'X-HTTP-Method-Override': 'DELETE' }],
    ['/?x=1', { ...html, 'Accept-Language': 'de', Cookie: 'a=b', Range: 'bytes=0-1' }],
    ['/', { Accept: `text/html${',text/markdown'.repeat(500)}` }],
  ];
  for (const [path, headers] of hostile) {
    const { status, bytes } = await send(path, headers);
    const expected = path.startsWith('/openapi') ? first : front;
    expect([path, headers, status, bytes.equals(expected.bytes)]).toEqual([path, headers, 200, true]);
  }
  expect(constantHeaders(await send('/openapi.json'))).toEqual(constantHeaders(first));
  expect(constantHeaders(await send('/', html))).toEqual(constantHeaders(front));
});

test('paths that look like documents are not', async () => {
  for (const path of [
    '/__proto__',
    '/constructor',
    '/docs/toString',
    '/openapi.json/',
    '/docs/../x',
    '/%6flms.txt',
  ]) {
    const { status } = await send(path);
    expect([path, [308, 404].includes(status)]).toEqual([path, true]);
  }
});

test('a path without a page gets the same 404 from memory as from the framework', async () => {
  // The framework decodes the escapes; our listener leaves such paths to it.
  for (const [held, framed] of [
    ['/no-such-page', '/n%6f-such-page'],
    ['/docs/no-such-page', '/docs/n%6f-such-page'],
    ['/v1/no-such-call', '/v1/n%6f-such-call'],
  ] as const) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      for (const accept of ['text/html', 'text/markdown', '*/*']) {
        const [one, other] = await Promise.all(
          [held, framed].map((path) => fetch(stack().apiUrl + path, { method, headers: { Accept: accept } })),
        );
        if (!one || !other) throw new Error('no response');
        const facts = async (answer: Response) => [
          answer.status,
          ...[
            'content-type',
            'cache-control',
            'allow',
            'access-control-allow-origin',
            'x-robots-tag',
            'etag',
          ].map((name) => answer.headers.get(name)?.replace(/-(br|gzip)"$/, '"') ?? null),
          (await answer.text()).replaceAll(/req_\w+/g, 'req_').replaceAll('n%6f', 'no'),
        ];
        expect(await facts(one), `${method} ${held} ${accept}`).toEqual(await facts(other));
      }
    }
  }
});

test('the icons of the site are revalidated and support no other methods', async () => {
  for (const path of ['/favicon.ico', '/favicon.svg', '/og.png']) {
    const { status, headers } = await send(path);
    expect([path, status, headers['cache-control']]).toEqual([path, 200, 'public, max-age=0']);
    const again = await send(path, { 'If-None-Match': headers.etag ?? '' });
    expect([path, again.status]).toEqual([path, 304]);
    expect((await send(path, {}, 'DELETE')).status).toBe(405);
  }
});
