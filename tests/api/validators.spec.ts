import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freeOperations, operations } from '@/lib/catalog';
import { documents } from '@/lib/discovery/documents';
import { fullTierPackages, fullTierPrograms } from '../support/full-tier-packages';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

/** The programs with which directories, registries and developers check a document. None of them may find a fault. */

const openApiPaths = Object.keys(documents).filter((name) => name.includes('openapi'));
const served = async (name: string) => (await fetch(stack().apiUrl + name)).json();

test('the x402 discovery audit finds every paid call with its price, payment method and input, and no fault', async () => {
  const origin = stack().apiUrl;
  const audit = await fullTierPackages.discoveryAudit();
  const source = (await audit.getOpenAPI(origin))._unsafeUnwrap();
  if (!source || audit.isOpenApiParseFailure(source)) throw new Error(JSON.stringify(source));
  const overview = audit.checkL2ForOpenAPI(source);
  const found = [
    ...audit.getWarningsForOpenAPI(source),
    ...audit.getWarningsForL2(overview),
    ...audit.getWarningsForL4(audit.checkL4ForOpenAPI(source)),
    ...(await audit.getWarningsForFavicon(origin))._unsafeUnwrap(),
  ];
  // The complete document also contains the account calls; the agents' document does not, and has fewer than 40 calls. The audit
  // knows API keys but no bearer tokens, with which the responses to a form are read.
  const codes = [...new Set(found.map(({ code }) => code))];
  expect(codes).toEqual(['L2_ROUTE_COUNT_HIGH', 'L2_AUTH_MODE_MISSING']);
  const unnamed = overview.routes.filter(({ authMode }) => authMode === undefined);
  const withReadToken = freeOperations.filter(({ access }) => access === 'readToken');
  expect(unnamed.map(({ path: route }) => route).sort()).toEqual(withReadToken.map((one) => one.path).sort());
  const paid = overview.routes.filter(({ authMode }) => authMode === 'paid');
  const sold = operations.flatMap(({ method, paths: { x402, mpp } }) =>
    [x402, mpp].flatMap((sellingPath) => (sellingPath ? [`${method} ${sellingPath}`] : [])),
  );
  expect(paid.map((route) => `${route.method} ${route.path}`).sort()).toEqual(sold.sort());
  for (const { path: template, method } of paid) {
    const checked = await audit.checkEndpointSchema({ url: origin + template, probe: true });
    if (!checked.found) throw new Error(JSON.stringify(checked));
    const advice = checked.advisories.find((one) => one.method === method) ?? null;
    const isMpp = template.startsWith('/v1/mpp/');
    const warnings = [
      ...audit.getWarningsForL3(advice),
      ...(isMpp
        ? audit.getWarningsForMppHeader(advice?.wwwAuthenticate)
        : audit.getWarningsFor402Body(advice?.paymentRequiredBody)),
    ];
    expect([template, method, warnings]).toEqual([template, method, []]);
    const networks = new Set(advice?.paymentOptions?.map(({ network }) => network));
    expect(networks.size, template).toBe(isMpp ? 3 : 4);
  }
});

test('the first OpenAPI linter finds no problem in any document', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-lint-'));
  try {
    for (const name of openApiPaths)
      await writeFile(fileOf(folder, name), JSON.stringify(await served(name)));
    // Here the service runs on localhost, and a caller cannot cause an error by reading prices or health.
    const rules = 'rules:\n  no-server-example.com: off\n  operation-4xx-response: off\n';
    await writeFile(path.join(folder, 'redocly.yaml'), `extends: [recommended-strict]\n${rules}`);
    expect(await redocly(folder, openApiPaths)).toEqual({ code: 0, said: '' });
    const [name = ''] = openApiPaths;
    await writeFile(fileOf(folder, name), JSON.stringify({ openapi: '3.1.0', info: {}, paths: {} }));
    expect((await redocly(folder, [name])).code).not.toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});

const fileOf = (folder: string, name: string) => path.join(folder, `${name.slice(1).replaceAll('/', '.')}`);

/** Runs the linter on every document in a folder, without sending data to its maker. */
function redocly(folder: string, names: readonly string[]) {
  const files = names.map((name) => fileOf(folder, name));
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return new Promise<{ code: number; said: string }>((resolve) => {
    const options = { cwd: folder, env, maxBuffer: 16 * 1024 * 1024 };
    execFile(
      process.execPath,
      [fullTierPrograms.redocly, 'lint', '--format', 'stylish', ...files],
      options,
      (error, stdout) => {
        resolve({ code: error ? Number(error.code ?? 1) : 0, said: stdout.trim() });
      },
    );
  });
}

test('the second OpenAPI linter, with all its rules, finds no problem in the public documents', async () => {
  test.slow();
  const [{ default: spectral }, { default: rulesets }] = await Promise.all([
    fullTierPackages.spectral(),
    fullTierPackages.spectralRulesets(),
  ]);
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas, 'all']] });
  // Tags follow the order of the catalog; the contact's e-mail address is up to the operator.
  const notOurs = ['openapi-tags-alphabetical', 'contact-properties'];
  for (const name of ['/openapi.json', '/openapi-agents.json']) {
    const found = await linter.run(await served(name));
    const left = found.filter(({ code }) => !notOurs.includes(String(code)));
    expect([name, left.map(({ code, path: place }) => `${code} ${place.join('.')}`)]).toEqual([name, []]);
  }
});

test('every example matches its schema', async () => {
  const { validateExamples } = await fullTierPackages.openApiExamples();
  // The documents for parts of the API consist of the same operations.
  for (const name of ['/openapi.json', '/openapi-agents.json']) {
    const document = withSharedAnswersOnce(inDraft4(await served(name)));
    const { errors, statistics } = await validateExamples(document);
    expect([name, errors]).toEqual([name, []]);
    expect(statistics.schemasWithExamples, name).toBeGreaterThan(0);
  }
});

interface Body {
  readonly schema?: { readonly $ref?: string };
  readonly examples?: Record<string, { readonly $ref?: string }>;
}
interface Answer {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Body>>;
}
interface Answering {
  readonly paths: Readonly<Record<string, Record<string, { responses?: Record<string, Answer> }>>>;
  readonly components: { readonly responses?: Readonly<Record<string, Answer>> };
}

/**
 * Keeps each shared answer only in the first operation that refers to it, and each shared example only in the first of these
 * answers that gives it for a schema. For all others, the validator would check the same thing again.
 */
function withSharedAnswersOnce(document: Answering): Answering {
  const seen = new Set<string>();
  const isNew = (key: string) => !seen.has(key) && seen.add(key).size > 0;
  for (const { responses = {} } of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    for (const [status, { $ref }] of Object.entries(responses))
      if ($ref !== undefined && !isNew($ref)) delete responses[status];
  }
  for (const { content = {} } of Object.values(document.components.responses ?? {})) {
    for (const { schema, examples = {} } of Object.values(content)) {
      for (const [name, { $ref }] of Object.entries(examples))
        if (schema?.$ref && $ref && !isNew(`${schema.$ref} ${$ref}`)) delete examples[name];
    }
  }
  return document;
}

/** The validator knows `exclusiveMinimum` only as in draft 4 of JSON Schema: as a boolean beside `minimum`. */
function inDraft4<T>(document: T): T {
  return JSON.parse(JSON.stringify(document), (_, value) => {
    if (typeof value?.exclusiveMinimum !== 'number') return value;
    return { ...value, minimum: value.exclusiveMinimum, exclusiveMinimum: true };
  });
}
