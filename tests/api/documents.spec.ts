import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freeOperations, operations } from '@/lib/catalog';
import { errors } from '@/lib/catalog/errors/codes';
import { documents } from '@/lib/discovery/documents';
import { curl } from '@/lib/discovery/samples';
import { toAtomic } from '@/lib/payments/money';
import { balanceOf } from '../support/balances';
import { payingFetch } from '../support/buyer';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer } from '../support/payers';
import { stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';

/** The documents as the running server serves them, and what a client can do that has read nothing else. */

const run = promisify(execFile);
const at = (pathname: string) => stack().apiUrl + pathname;

test('every document is served to everyone, is cached, and answers HEAD and its ETag', async () => {
  for (const [pathname, { mediaType }] of Object.entries(documents)) {
    const got = await fetch(at(pathname), { headers: { Origin: 'https://elsewhere.example' } });
    expect([pathname, got.status, got.headers.get('content-type')]).toEqual([pathname, 200, mediaType]);
    expect(got.headers.get('cache-control'), pathname).toBe('public, max-age=300');
    expect(got.headers.get('access-control-allow-origin'), pathname).toBe('*');
    expect(got.headers.get('link'), pathname).toContain('rel="api-catalog"');
    const text = await got.text();
    expect(text.length, pathname).toBeGreaterThan(20);
    if (mediaType.includes('json')) expect(() => JSON.parse(text), pathname).not.toThrow();
    const head = await fetch(at(pathname), { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, mediaType, '']);
    const etag = got.headers.get('etag') ?? '';
    const again = await fetch(at(pathname), { headers: { 'If-None-Match': etag } });
    expect([pathname, again.status]).toEqual([pathname, 304]);
  }
});

test('unknown documents get 404 in JSON, also below /.well-known', async () => {
  for (const pathname of [
    '/.well-known/ai-plugin.json',
    '/.well-known/agent-card.json',
    '/nothing/openapi.json',
    '/__proto__/openapi.json',
  ]) {
    const answer = await fetch(at(pathname));
    expect([pathname, answer.status, (await answer.json()).error.code]).toEqual([pathname, 404, 'not_found']);
  }
});

test('every URL in the API catalog, APIs.json, llms.txt and the sitemap responds', fullOnly, async () => {
  const texts = await Promise.all(
    [
      '/.well-known/api-catalog',
      '/.well-known/ai-catalog.json',
      '/apis.json',
      '/llms.txt',
      '/sitemap.xml',
    ].map(async (pathname) => (await fetch(at(pathname))).text()),
  );
  const addresses = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/"href":"([^"]+)"|"url":"([^"]+)"|<loc>([^<]+)<|\]\((http[^)]+)\)/g)].map(
        (found) => found.slice(1).find(Boolean) ?? '',
      ),
    ),
  );
  const anchors = new Set(
    Object.keys(documents)
      .filter((one) => one.endsWith('/openapi.json'))
      .map((one) => at(one.replace('/openapi.json', ''))),
  );
  for (const address of [...addresses].filter((one) => !anchors.has(one))) {
    expect(address.startsWith(stack().apiUrl), address).toBe(true);
    expect([address, (await fetch(address)).status]).toEqual([address, 200]);
  }
  expect(addresses.size).toBeGreaterThan(30);
});

test('the AI catalog leads to the card of the MCP server, and its other entries have the types that they name', async () => {
  const { entries } = await (await fetch(at('/.well-known/ai-catalog.json'))).json();
  const typeOf = async (url: string) => (await fetch(url)).headers.get('content-type') ?? '';
  const [card, ...others] = entries;
  expect(card).toEqual({
    identifier: `urn:air:${new URL(stack().apiUrl).hostname}:mcp:tuppence`,
    displayName: 'Tuppence',
    type: 'application/mcp-server-card+json',
    url: at('/mcp/server-card'),
  });
  expect(await typeOf(card.url)).toBe(card.type);
  for (const { type, url } of others)
    expect(await typeOf(url), url).toContain(
      {
        'application/agent-skills+md': 'text/markdown',
        'application/vnd.oai.openapi+json;version=3.1': 'application/json',
      }[type as string] ?? type,
    );
});

test('llms-full.txt is the documentation for callers: every guide, call and error, cached like the other documents', async () => {
  const got = await fetch(at('/llms-full.txt'));
  expect([got.status, got.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(got.headers.get('cache-control')).toBe('public, max-age=300');
  const unchanged = { 'If-None-Match': got.headers.get('etag') ?? '' };
  expect((await fetch(at('/llms-full.txt'), { headers: unchanged })).status).toBe(304);
  const text = await got.text();
  const index = await (await fetch(at('/llms.txt'))).text();
  const guides = [...index.matchAll(/\]\((http[^)]+\/docs\/[^/)]+)\.md\)/g)].map(([, url]) => url ?? '');
  expect(guides.length).toBeGreaterThan(15);
  const missing = [
    ...guides.filter((url) => !/\/docs\/reference$/.test(url)).map((url) => `<!-- ${url} -->`),
    ...operations.map(({ title }) => `\n# ${title}\n`),
    ...Object.keys(errors).map((code) => `\`${code}\``),
  ].filter((part) => !text.includes(part));
  expect(missing).toEqual([]);
});

interface Body {
  content: { 'application/json': { schema: { $ref?: string; examples?: unknown[] } } };
}

interface Item {
  security: unknown[];
  requestBody?: Body & { $ref?: string };
  'x-payment-info'?: { price: { amount: string }; protocols: Record<string, unknown>[] };
  tags: string[];
  parameters: (Parameter & { $ref?: string })[];
}

interface Parameter {
  name: string;
  in: string;
  example?: unknown;
}

const isPathParameter = (one: Parameter) => one.in === 'path';

test('a client that knows only the base URL discovers and buys every operation on both rails', async () => {
  test.setTimeout(180_000);
  const catalog = await (await fetch(at('/.well-known/api-catalog'))).json();
  const described = catalog.linkset.flatMap(
    (context: Record<string, { href: string }[]>) => context['service-desc'] ?? [],
  );
  const agents = described.find(({ title = '' }: { title?: string }) => /pay-per-call/i.test(title));
  const { paths, servers, components } = await (await fetch(agents.href)).json();
  const found = <T>({ $ref }: { $ref?: string }): T | undefined => {
    const [, , section = '', name = ''] = ($ref ?? '').split('/');
    return components[section]?.[name];
  };
  const start = 10_000_000n;
  const account = await newEvmPayer(start, ['base']);
  const pay = { x402: payingFetch(account, 'base'), mpp: mppClient(account, 'base').fetch };
  const ids = new Map<string, string[]>();
  const bought: string[] = [];
  let spent = 0n;
  for (const [template, methods] of Object.entries(paths as Record<string, Record<string, Item>>)) {
    for (const [method, item] of Object.entries(methods)) {
      const info = item['x-payment-info'];
      if (!info) continue;
      const [tag = ''] = item.tags;
      const rail = Object.keys(info.protocols[0] ?? {})[0] as 'x402' | 'mpp';
      const known = ids.get(tag) ?? [];
      // Calls with an id in the path use something bought earlier; what is deleted is not used again.
      const id = method === 'delete' ? known.pop() : known.at(-1);
      const url =
        servers[0].url +
        template.replace(
          /\{\w+\}/,
          () =>
            id ??
            String(item.parameters.map((one) => found<Parameter>(one) ?? one).find(isPathParameter)?.example),
        );
      const requestBody = item.requestBody && (found<Body>(item.requestBody) ?? item.requestBody);
      const schema = requestBody?.content['application/json'].schema;
      const answer = await pay[rail](url, {
        method: method.toUpperCase(),
        ...(schema
          ? {
              headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify((found<typeof schema>(schema) ?? schema).examples?.[0]),
            }
          : {}),
      });
      const body = await answer.json();
      expect([template, answer.status, body.error?.code]).toEqual([template, 200, undefined]);
      // The file of the example. Without it, the upload could not be renewed.
      if (body.uploadUrl) {
        const put = await fetch(body.uploadUrl, {
          method: 'PUT',
          headers: body.uploadHeaders,
          body: 'hello',
        });
        expect(put.status).toBe(200);
      }
      const given = [body, ...(Array.isArray(body.results) ? body.results : [])].find(
        (one) => typeof one.id === 'string',
      );
      if (given && !template.includes('{')) ids.set(tag, [...known, given.id]);
      bought.push(`${method.toUpperCase()} ${template}`);
      spent += toAtomic(info.price.amount);
    }
  }
  const sold = operations
    .filter(({ category }) => category !== 'billing')
    .flatMap(({ method, paths: rails }) =>
      [rails.x402, rails.mpp].flatMap((one) => (one ? [`${method} ${one}`] : [])),
    );
  expect(bought.sort()).toEqual(sold.sort());
  expect(await balanceOf(account, 'base')).toBe(start - spent);
});

test('the price list, the documents and the challenges state the same prices', async () => {
  const { prices } = await (await fetch(at('/v1/tools/prices'))).json();
  const { routes } = await (await fetch(at('/.well-known/x402.json'))).json();
  for (const { method, path: template, operation, amountUsdcAtomic, price } of routes) {
    const entry = Object.values(prices as Record<string, { operation: string; price: string }>).find(
      (one) => one.operation === operation,
    );
    expect(entry?.price).toBe(price.amount);
    const answer = await fetch(at(template), { method });
    expect(answer.status).toBe(402);
    for (const { amount } of (await answer.json()).accepts) expect(amount).toBe(amountUsdcAtomic);
  }
});

test(
  'the sample of every call gets what its page says: 402 with the price or the message to sign, or a response',
  fullOnly,
  async () => {
    for (const operation of [...operations, ...freeOperations]) {
      const pathname = 'paths' in operation ? operation.paths.x402 : operation.path;
      const sample = curl(operation, pathname, { publicUrl: stack().apiUrl });
      const { stdout } = await run('sh', ['-c', `${sample} -s`]);
      const status = Number(/^HTTP\/1\.1 (\d+)/m.exec(stdout)?.[1]);
      // Examples of free calls name things that do not exist, or require a token.
      const asksFirst = 'paths' in operation || operation.access === 'wallet';
      expect(asksFirst ? [402] : [200, 400, 401, 404], `${sample}\n${stdout}`).toContain(status);
    }
  },
);
