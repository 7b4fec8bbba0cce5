import { gzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import MarkdownIt from 'markdown-it';
import { freeOperations, operations } from '@/lib/catalog';
import { basicTools } from '@/lib/catalog/adapter-tools';
import { errors } from '@/lib/catalog/errors/codes';
import type { Operation } from '@/lib/catalog/operation';
import { playbook } from '@/lib/catalog/playbook';
import { toolNameOf } from '@/lib/catalog/tool-words';
import { forAgents, partOf, parts } from '@/lib/discovery/contents';
import { documents } from '@/lib/discovery/documents';
import { toAtomic } from '@/lib/payments/money';
import { configuredOffers } from '@/lib/payments/network-offers';
import { operatorDetails } from '@/lib/platform/public-operator';
import { parseSettings } from '@/lib/platform/settings';
import { expect, test } from '../support/without-browser';
import { documentShapes } from './document-shapes';

/** The documents as generated from the catalog, checked against the schemas of their readers. */

const publicUrl = 'https://api.example.com';
const rpc = 'http://127.0.0.1:1';
const offers = configuredOffers(
  parseSettings({
    DATABASE_URL: 'postgresql://unused',
    PUBLIC_URL: publicUrl,
    FILES_URL: 'https://files.example.net',
    PAY_TO_EVM: `0x${'11'.repeat(20)}`,
    PAY_TO_SOLANA: '11111111111111111111111111111112',
    BASE_RPC_URL: rpc,
    POLYGON_RPC_URL: rpc,
    ARBITRUM_RPC_URL: rpc,
    SOLANA_RPC_URL: rpc,
    DATA_KEY: Buffer.alloc(32).toString('base64'),
  }),
);
const guides = [{ name: 'a-guide', title: 'A guide', summary: 'What it is about.' }];
const site = {
  publicUrl,
  offers,
  guides,
  source: { url: null, editUrl: null },
  isAvailable: () => true,
  flowOf: () => 'upfront' as const,
  isTest: false,
  linkLimits: { downloads: 10_000, bytes: null },
  operator: operatorDetails({}),
  adapterDigests: { package: 'a'.repeat(64), program: 'b'.repeat(64), client: 'c'.repeat(64) },
};

const made = new Map<string, string>();

/** A document as served. */
function text(path: string): string {
  const known = made.get(path);
  if (known !== undefined) return known;
  const content = documents[path]?.make(site);
  const served = typeof content === 'string' ? content : JSON.stringify(content);
  made.set(path, served);
  return served;
}
const json = (path: string) => JSON.parse(text(path));

for (const [path, shape] of Object.entries(documentShapes)) {
  test(`${path} matches its published schema and has no other fields`, () => {
    const document = json(path);
    expect(shape.safeParse(document).error?.issues ?? []).toEqual([]);
    expect(shape.safeParse({ ...document, unknown: true }).success).toBe(false);
    for (const member of Object.keys(document)) {
      const { [member]: _, ...rest } = document;
      expect(shape.safeParse(rest).success, `without ${member}`).toBe(false);
    }
  });
}

const openApiPaths = Object.keys(documents).filter((path) => path.includes('openapi'));

test('every part has an OpenAPI document, and all are valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  for (const path of openApiPaths) {
    expect([path, await validator.validate(json(path))]).toEqual([path, { valid: true }]);
    expect(validator.version).toBe('3.1');
  }
  const spec = [
    'account',
    'airports',
    'billing',
    'discovery',
    'files',
    'flights',
    'proxy',
    'render',
    'upload',
    'wallet',
  ];
  for (const part of spec) expect(openApiPaths).toContain(`/${part}/openapi.json`);
});

test('every operation is in the complete document and in that of its own part only', () => {
  const idsIn = (path: string) =>
    new Set(
      Object.values(json(path).paths as Record<string, Record<string, { operationId: string }>>)
        .flatMap((methods) => Object.values(methods))
        .map(({ operationId }) => operationId.replace(/\.(x402|mpp|account)$/, '')),
    );
  const all = [...operations, ...freeOperations];
  expect([...idsIn('/openapi.json')].sort()).toEqual(all.map(({ id }) => id).sort());
  for (const operation of all)
    expect(idsIn(`/${partOf(operation)}/openapi.json`), operation.id).toContain(operation.id);
  const found = Object.keys(parts).flatMap((part) =>
    part === 'upload' ? [] : [...idsIn(`/${part}/openapi.json`)],
  );
  expect(found.sort()).toEqual(all.map(({ id }) => id).sort());
});

test('the document for agents has every call that needs no account, in less than 64 KB', () => {
  const document = text('/openapi-agents.json');
  expect(document.length).toBeLessThan(64 * 1024);
  const { paths, components } = JSON.parse(document);
  expect(Object.keys(paths).filter((path) => /^\/v1\/(account|billing)/.test(path))).toEqual([]);
  expect(Object.keys(components.securitySchemes)).toEqual(['readToken', 'siwx']);
  const sold = forAgents(site).operations.flatMap(({ paths: rails }) => Object.values(rails));
  for (const path of sold) expect(Object.keys(paths)).toContain(path);
});

test('the document for agents has the parameters of the complete one, with those of several calls written once', () => {
  interface Described {
    readonly paths: Record<string, Record<string, { readonly parameters: readonly { $ref?: string }[] }>>;
    readonly components: { readonly parameters: Record<string, object> };
  }
  const withoutExamples = (parameter: unknown) =>
    JSON.parse(JSON.stringify(parameter), (key, value) => (key === 'examples' ? undefined : value));
  const resolved = ({ paths, components }: Described, path: string, method: string) =>
    paths[path]?.[method]?.parameters.map((one) =>
      withoutExamples(
        one.$ref ? components.parameters[one.$ref.replace('#/components/parameters/', '')] : one,
      ),
    );
  const [brief, full]: Described[] = [json('/openapi-agents.json'), json('/openapi.json')];
  if (!brief || !full) throw new Error('there is no document');
  for (const [path, methods] of Object.entries(brief.paths))
    for (const method of Object.keys(methods))
      expect(resolved(brief, path, method), path).toEqual(resolved(full, path, method));
  expect(Object.keys(brief.components.parameters)).toEqual(
    expect.arrayContaining(['path.id', 'query.cursor', 'query.limit']),
  );
});

test('every field of a 200 in the document for agents has a type', () => {
  interface Answer {
    readonly $ref?: string;
    readonly content?: { readonly 'application/json': { readonly schema: object } };
  }
  const { paths, components } = json('/openapi-agents.json');
  const items = Object.entries<Record<string, { responses: Record<string, Answer> }>>(paths);
  const answers = items.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]): [string, Answer] => {
      const { $ref, ...inline } = responses[200] ?? {};
      return [`${method} ${path}`, $ref ? components.responses[$ref.split('/').at(-1) ?? ''] : inline];
    }),
  );
  expect(answers.length).toBeGreaterThan(40);
  for (const [name, { content }] of answers) {
    if (!content) throw new Error(`${name} has no response`);
    const { properties } = content['application/json'].schema as { properties: Record<string, object> };
    for (const [field, schema] of Object.entries(properties))
      expect(schema, `${name} ${field}`).toHaveProperty('type');
  }
});

test('documents for agents leave out operations without a configured provider', () => {
  const here = { ...site, isAvailable: ({ providers }: Pick<Operation, 'providers'>) => !providers };
  const written = [
    '/llms.txt',
    '/openapi-agents.json',
    '/.well-known/x402.json',
    '/.well-known/mpp.json',
  ].map((path) => JSON.stringify(documents[path]?.make(here)));
  for (const document of written) {
    expect(document).toMatch(/\/v1\/(mpp\/)?uploads/);
    expect(document).not.toContain('/serp/search');
    expect(document).not.toContain('/flights/search');
  }
});

test('the complete document is less than 64 KB compressed', () => {
  expect(gzipSync(text('/openapi.json')).length).toBeLessThan(64 * 1024);
});

test('documents agree on the price, path and method of every call', () => {
  const { routes } = json('/.well-known/x402.json');
  const { endpoints } = json('/.well-known/mpp.json').services[0];
  const agents = json('/openapi-agents.json').paths;
  for (const { id, method, paths, price, summary } of forAgents(site).operations) {
    const atomic = toAtomic(price).toString();
    expect(
      routes.find(
        (route: { path: string; method: string }) => route.path === paths.x402 && route.method === method,
      ),
    ).toMatchObject({
      operation: id,
      price: { amount: price },
      amountUsdcAtomic: atomic,
      description: summary,
    });
    expect(agents[paths.x402][method.toLowerCase()]['x-payment-info'].price.amount).toBe(price);
    if (!paths.mpp) continue;
    const path = paths.mpp.replaceAll(/\{(\w+)\}/g, ':$1');
    expect(
      endpoints.find((one: { path: string; method: string }) => one.path === path && one.method === method),
    ).toMatchObject({
      payment: { amount: atomic, decimals: 6, currency: offers[0]?.asset },
    });
  }
});

test('MCP documents name the same server, and each tool with the price of its operation', () => {
  const [server, client] = [json('/.well-known/mcp-server.json'), json('/.well-known/mcp.json')];
  expect(client.name).toBe(server.name);
  expect(server.name).toBe('com.example.api/tuppence');
  const [{ identifier, fileSha256, runtimeArguments, version }] = server.packages;
  expect(client.mcpServers.tuppence.args).toEqual([
    ...runtimeArguments.map(({ value }: { value: string }) => value),
    identifier,
  ]);
  // Clients would append it to the address.
  expect(version).toBeUndefined();
  expect(client.files).toContainEqual(expect.objectContaining({ url: identifier, sha256: fileSha256 }));
  expect(client.tools).toHaveLength(basicTools.length);
  for (const { name, price } of basicTools) {
    const tool = client.tools.find((one: { name: string }) => one.name === name);
    expect(tool.price).toEqual({ currency: 'USDC', amount: price ?? '0' });
  }
});

test('MCP documents say where the remote server is, and each of its tools with the price of its operation', () => {
  const url = 'https://api.example.com/mcp';
  expect(json('/.well-known/mcp-server.json').remotes).toEqual([{ type: 'streamable-http', url }]);
  const card = json('/mcp/server-card');
  expect(card.remotes).toEqual([
    { type: 'streamable-http', url, supportedProtocolVersions: expect.arrayContaining(['2025-11-25']) },
  ]);
  // Scanners from before the standard read more fields, at another path.
  expect(json('/.well-known/mcp/server-card.json')).toMatchObject({
    ...card,
    serverInfo: { name: 'tuppence', version: card.version },
    transport: { type: 'streamable-http', endpoint: '/mcp' },
  });
  const { remote } = json('/.well-known/mcp.json');
  expect(remote.url).toBe(url);
  const prices = Object.fromEntries(
    remote.tools.map((tool: { name: string; price: { amount: string } }) => [tool.name, tool.price.amount]),
  );
  for (const { id, price } of operations) expect([id, prices[toolNameOf({ id })]]).toEqual([id, price]);
});

test('llms.txt has one title, a summary, and lists of links under its other headings', () => {
  const tokens = new MarkdownIt().parse(text('/llms.txt'), {});
  const tags = tokens.filter(({ level }) => level === 0).map(({ tag, nesting }) => (nesting >= 0 ? tag : ''));
  expect(tags[0]).toBe('h1');
  expect(tags.filter((tag) => tag === 'h1')).toHaveLength(1);
  expect(tags.filter(Boolean)[1]).toBe('blockquote');
  const afterHeading = tags.filter(Boolean).slice(tags.filter(Boolean).indexOf('h2'));
  expect(afterHeading.filter((tag) => !['h2', 'ul'].includes(tag))).toEqual([]);
  const items = text('/llms.txt')
    .split(/^## .*$/m)
    .slice(1)
    .join('')
    .trim()
    .split(/\n+/);
  for (const item of items)
    expect(item).toMatch(/^- \[[^\]]+\]\(https:\/\/api\.example\.com\/[^)]*\)(: \S|$)/);
});

test('llms.txt says what every error means for the money, in ten lines', () => {
  const lines = text('/llms.txt').split('\n');
  const rows = lines.filter((line) => /^\| `(none|kept|refunded|unknown|in_flight)`/.test(line));
  expect(rows.length).toBeLessThanOrEqual(10);
  for (const [code, { payment, retry }] of Object.entries(errors))
    expect(
      rows.filter((row) => row.includes(`\`${payment}\``) && row.includes(`| \`${retry}\` |`)),
      code,
    ).toHaveLength(1);
});

test('llms.txt has every call with its path, price and other ways to pay, accounts included', () => {
  const lines = text('/llms.txt').split('\n');
  const lineOf = (id: string) => lines.find((line) => line.startsWith(`- ${id}: `)) ?? '';
  const { mpp, account } = { mpp: '/v1/mpp/', account: '/v1/account/' };
  for (const { id, method, paths, price } of operations) {
    expect(lineOf(id), id).toContain(`\`${method} ${paths.x402}`);
    const [, ways = ''] = new RegExp(`\` ${price} USDC([^.]*)\\.`).exec(lineOf(id)) ?? [];
    // The document says how these paths follow from the path of x402.
    expect(paths.mpp).toBe(ways.includes('MPP') ? paths.x402.replace('/v1/', mpp) : undefined);
    expect(paths.account).toBe(ways.includes('account') ? paths.x402.replace('/v1/', account) : undefined);
  }
  for (const { id, method, path } of freeOperations)
    expect(lineOf(id), id).toMatch(
      new RegExp(`^- ${id}: \`${method} ${path.replaceAll(/[{}]/g, '\\$&')}.*free`),
    );
});

test('llms.txt warns of documents that are too large to read', () => {
  expect(text('/llms.txt')).toMatch(/\/openapi\.json\).*too large/);
});

test('agents are offered every EVM network on every path that is paid over MPP', () => {
  const { paths } = json('/openapi-agents.json');
  const twins = Object.keys(paths).filter((path) => path.startsWith('/v1/mpp/'));
  expect(twins.length).toBeGreaterThan(10);
  const assets = offers.filter(({ network }) => network.family === 'evm').map(({ asset }) => asset);
  expect(assets).toHaveLength(3);
  for (const path of twins) {
    for (const item of Object.values<{ 'x-payment-info': { offers: { currency: string }[] } }>(paths[path])) {
      expect(
        item['x-payment-info'].offers.map(({ currency }) => currency),
        path,
      ).toEqual(assets);
    }
  }
});

test('every call that an agent can buy is in the playbook', () => {
  const used = new Set(playbook.flatMap(({ uses }) => uses));
  const { operations: sold, freeOperations: free } = forAgents(site);
  const unused = [...sold, ...free].map(({ id }) => id).filter((id) => !used.has(id));
  expect(unused, 'lib/catalog/playbook.ts has no job for a call').toEqual(['tools.prices']);
});

test('the playbook names only existing calls', () => {
  const known = [...operations, ...freeOperations].map(({ id }) => id);
  for (const { job, uses } of playbook)
    expect(
      uses.filter((id) => !known.includes(id)),
      job,
    ).toEqual([]);
});
