import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { validate as validateForMpp } from 'mppx/discovery';
import { free, freeOperations, operations, render, uploads } from '@/lib/catalog';
import { errors } from '@/lib/catalog/errors/codes';
import { errorBody } from '@/lib/catalog/errors/schema';
import { ownErrors, paidErrors } from '@/lib/catalog/paid-errors';
import { openApiDocument } from '@/lib/discovery/openapi/document';
import { pricesDocument } from '@/lib/discovery/prices';
import { configuredOffers } from '@/lib/payments/network-offers';
import { operatorDetails } from '@/lib/platform/public-operator';
import { parseSettings } from '@/lib/platform/settings';
import { expect, test } from '../support/without-browser';

interface Content {
  content: {
    'application/json': {
      schema: { $ref: string };
      example?: unknown;
      examples?: Record<string, { $ref: string }>;
    };
  };
}
interface Described {
  parameters: { name: string; in: string; schema: object; example: unknown }[];
  requestBody?: Content;
  responses: Record<string, Content | { $ref: string }>;
  security: unknown;
  'x-codeSamples': { lang: string; label: string; source: string }[];
  'x-payment-info'?: { price: unknown; protocols: unknown[]; offers?: Record<string, unknown>[] };
}
interface Document {
  paths: Record<string, Record<string, Described>>;
  tags: { name: string }[];
  'x-tagGroups': { name: string; tags: string[] }[];
  components: Record<'schemas' | 'responses' | 'examples', Record<string, Record<string, never>>> & {
    headers: Record<string, { schema: object; example?: unknown }>;
  };
}

const offers = configuredOffers(
  parseSettings({
    DATABASE_URL: 'postgresql://unused',
    PUBLIC_URL: 'https://api.example.com',
    FILES_URL: 'https://files.example.net',
    PAY_TO_EVM: `0x${'11'.repeat(20)}`,
    PAY_TO_SOLANA: '11111111111111111111111111111112',
    BASE_RPC_URL: 'http://127.0.0.1:1',
    POLYGON_RPC_URL: 'http://127.0.0.1:1',
    ARBITRUM_RPC_URL: 'http://127.0.0.1:1',
    SOLANA_RPC_URL: 'http://127.0.0.1:1',
    DATA_KEY: Buffer.alloc(32).toString('base64'),
  }),
);
const site = {
  publicUrl: 'https://api.example.com',
  offers,
  isTest: false,
  linkLimits: { downloads: 10_000, bytes: null },
  operator: operatorDetails({}),
};

/** The document as callers get it: through JSON. */
function made(contents = { operations, freeOperations }, on = site): Document {
  return JSON.parse(JSON.stringify(openApiDocument(contents, on)));
}

const document = made();
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, item]) => ({ path, method: method.toUpperCase(), item })),
);

const ajv = addFormats.default(new Ajv2020({ strict: false }));
ajv.addSchema(document, 'document');
const violations = (ref: string, value: unknown): unknown => {
  ajv.validate({ $ref: `document${ref}` }, value);
  return ajv.errors ?? [];
};

test('the examples share one account, form, offer, paid call, and transaction, an uploaded file and a PDF', () => {
  const text = JSON.stringify(document);
  const idsOf = (pattern: RegExp) => [...new Set(text.match(pattern))].sort();
  for (const kind of ['acct', 'fm', 'off', 'pc'])
    expect(idsOf(new RegExp(`\\b${kind}_\\w{10,}`, 'g')), kind).toHaveLength(1);
  expect(idsOf(/\b0x[0-9a-f]{64}\b/g), 'transactions').toHaveLength(1);
  expect(idsOf(/\bup_\w{10,}/g)).toEqual(
    [render.pdf.example.output.id, uploads.create.example.output.id].sort(),
  );
});

test('it has exactly the paths of the catalog', () => {
  const expected = [
    ...operations.flatMap(({ method, paths }) => Object.values(paths).map((path) => `${method} ${path}`)),
    ...freeOperations.map(({ method, path }) => `${method} ${path}`),
  ];
  expect(described.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(expected.sort());
});

test('the document follows the rules of MPP discovery', () => {
  expect(validateForMpp(document)).toEqual([]);
});

test('an offer has only members of the MPP draft', () => {
  const found = described.flatMap(({ item }) => item['x-payment-info']?.offers ?? []);
  expect(found).toHaveLength(operations.filter(({ paths }) => paths.mpp).length * 3);
  for (const offer of found) {
    expect(Object.keys(offer).sort()).toEqual(['amount', 'currency', 'description', 'intent', 'method']);
  }
});

const railOf = (sold: (typeof operations)[number], path: string) =>
  (Object.keys(sold.paths) as (keyof typeof sold.paths)[]).find((rail) => sold.paths[rail] === path) ??
  'x402';

test('account calls need a token, form responses a read token, wallet lists a signature, and every paid call has a price in dollars and a protocol', () => {
  for (const { path, method, item } of described) {
    const isOfAccount =
      operations.some(({ paths, ...sold }) => paths.account === path && sold.method === method) ||
      freeOperations.some(
        (free) => free.access === 'account' && free.path === path && free.method === method,
      );
    const access = freeOperations.find((free) => free.path === path && free.method === method)?.access;
    const scheme = { account: [], wallet: [{ siwx: [] }], readToken: [{ readToken: [] }] }[
      access ?? 'account'
    ];
    expect(item.security, `${method} ${path}`).toEqual(isOfAccount ? [{ apiKey: [] }] : scheme);
    const sold = operations.find((one) => one.method === method && Object.values(one.paths).includes(path));
    if (!sold || isOfAccount) continue;
    const { variablePrice: range } = sold;
    expect(item['x-payment-info']?.price).toEqual(
      range
        ? { mode: 'dynamic', currency: 'USD', min: range.min, max: range.max }
        : { mode: 'fixed', currency: 'USD', amount: sold.price },
    );
    expect(Object.keys(item['x-payment-info']?.protocols[0] ?? {})).toEqual([railOf(sold, path)]);
  }
});

test('the examples of requests and responses match their schemas', () => {
  for (const { path, method, item } of described) {
    const words = `${method} ${path}`;
    const body = item.requestBody?.content['application/json'];
    if (body) expect(violations(body.schema.$ref, body.example), words).toEqual([]);
    for (const parameter of item.parameters.filter((one) => one.in === 'path')) {
      expect(ajv.validate(parameter.schema, parameter.example), `${words}: ${parameter.name}`).toBe(true);
    }
    const { schema, examples } = (item.responses['200'] as Content).content['application/json'];
    const example = document.components.examples[examples?.answer?.$ref.split('/')[3] ?? ''];
    expect(violations(schema.$ref, example?.value), words).toEqual([]);
  }
});

test('the check detects examples that do not match', () => {
  const body = document.paths['/v1/uploads']?.post?.requestBody as Content;
  const { schema, example } = body.content['application/json'];
  expect(violations(schema.$ref, { ...(example as object), size: 0 })).not.toEqual([]);
  expect(violations(schema.$ref, { ...(example as object), more: 1 })).not.toEqual([]);
});

test('every error of a call has its response body as an example', () => {
  const undescribed: string[] = [];
  for (const { path, method, item } of described) {
    const sold = operations.find((one) => one.method === method && Object.values(one.paths).includes(path));
    const free = freeOperations.find((one) => one.method === method && one.path === path);
    const rail = sold && railOf(sold, path);
    const codes =
      sold && rail
        ? [...ownErrors(sold, rail), ...paidErrors[rail]]
        : [...(free?.errors ?? []), 'internal_error' as const];
    for (const code of codes) {
      const answer = item.responses[errors[code].status];
      const resolved =
        answer && '$ref' in answer ? document.components.responses[answer.$ref.split('/')[3] ?? ''] : answer;
      if (!JSON.stringify(resolved)?.includes(`#/components/examples/${code}`))
        undescribed.push(`${path}: ${code}`);
    }
  }
  expect(undescribed).toEqual([]);
  for (const [code, { value }] of Object.entries(document.components.examples)) {
    if (!(code in errors)) continue;
    expect(errorBody.safeParse(value).success, code).toBe(true);
    expect(violations('#/components/schemas/Error', value), code).toEqual([]);
  }
});

test('error messages and payment outcomes are those of the table', () => {
  const example = document.components.examples.not_owner as { value?: { error: object } } | undefined;
  expect(example?.value?.error).toMatchObject({
    code: 'not_owner',
    message: errors.not_owner.message,
    payment: 'none',
    retry: 'stop',
    docs: 'https://api.example.com/docs/errors#not_owner',
  });
});

test('every part of the catalog has its own document, which contains what it uses', () => {
  const [one] = operations;
  const part = made({ operations: one ? [one] : [], freeOperations: [] });
  expect(Object.keys(part.paths)).toEqual(Object.values(one?.paths ?? {}));
  expect(Object.keys(part.components.schemas).filter((name) => name.includes('.'))).toEqual([
    `${one?.id}.input`,
    `${one?.id}.output`,
  ]);
});

test('without an EVM network nothing is offered over MPP', () => {
  const solana = offers.filter(({ network }) => network.family === 'solana');
  const paths = Object.keys(made(undefined, { ...site, offers: solana }).paths);
  expect(paths.filter((path) => path.startsWith('/v1/mpp/'))).toEqual([]);
  expect(paths).toContain('/v1/uploads');
});

test('shared parts are written once, so that the document stays below 64 KB compressed', () => {
  for (const { path, method, item } of described) {
    // Samples are longer, and each is for one call only.
    const { 'x-codeSamples': _, ...shared } = item;
    expect(JSON.stringify(shared).length, `${method} ${path}`).toBeLessThan(2_800);
  }
  expect(gzipSync(JSON.stringify(document)).length).toBeLessThan(64 * 1024);
});

test('every call has a sample with its own path, and those of our clients once for all rails', () => {
  for (const { path, method, item } of described) {
    const [curl] = item['x-codeSamples'];
    const where = `${method} ${path}`;
    expect(curl?.source, where).toContain(`https://api.example.com${path.split('{')[0]}`);
    expect(curl?.source, where).toContain(method === 'GET' ? 'curl -i ' : `-X ${method}`);
  }
  const labels = (path: string) => document.paths[path]?.post?.['x-codeSamples'].map(({ label }) => label);
  expect(labels('/v1/uploads')).toEqual(['curl', 'TypeScript', 'Python']);
  expect(labels('/v1/mpp/uploads')).toEqual(['curl']);
});

test('every tag is in exactly one group', () => {
  const grouped = document['x-tagGroups'].flatMap(({ tags }) => tags);
  expect(grouped.toSorted()).toEqual(document.tags.map(({ name }) => name).toSorted());
});

test('every response header has an example', () => {
  for (const [name, { schema, example }] of Object.entries(document.components.headers)) {
    expect(example, name).toBeDefined();
    expect(ajv.validate(schema, example), name).toBe(true);
  }
});

test('the example of the price list is a real entry', () => {
  const list = pricesDocument(
    operations,
    offers.map(({ network }) => network),
    false,
  );
  expect(list.prices).toMatchObject(free.prices.example.output.prices);
  expect(free.prices.output.safeParse(list).success).toBe(true);
});
