import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import ts from 'typescript';
import { freeOperations, operations } from '@/lib/catalog';
import {
  type ClientMethod,
  camelCase,
  clientMethods,
  pascalCase,
} from '@/lib/discovery/typed-clients/methods';
import { pythonProgram, typescriptProgram } from '@/lib/discovery/typed-clients/programs';
import { literal, pythonClient, pythonMethods } from '@/lib/discovery/typed-clients/python';
import { samplesText } from '@/lib/discovery/typed-clients/samples';
import { shapeOf } from '@/lib/discovery/typed-clients/shape';
import { typescriptClient } from '@/lib/discovery/typed-clients/typescript';
import { configuredOffers } from '@/lib/payments/networks';
import { operatorDetails } from '@/lib/platform/public-operator';
import { parseSettings } from '@/lib/platform/settings';
import { blocksOf, fileNameOf } from '../support/guides';
import { findPython } from '../support/python';

/** The typed clients and the programs for every operation, as compilers see them. tests/api/typed-clients.spec.ts runs them. */

const publicUrl = 'https://api.example.com';
const rpc = 'http://127.0.0.1:1';
const site = {
  publicUrl,
  offers: configuredOffers(
    parseSettings({
      DATABASE_URL: 'postgresql://unused',
      PUBLIC_URL: publicUrl,
      FILES_URL: 'https://files.example.net',
      PAY_TO_EVM: `0x${'11'.repeat(20)}`,
      BASE_RPC_URL: rpc,
      POLYGON_RPC_URL: rpc,
      ARBITRUM_RPC_URL: rpc,
      DATA_KEY: Buffer.alloc(32).toString('base64'),
    }),
  ),
  guides: [],
  source: { url: null, editUrl: null },
  isAvailable: () => true,
  isTest: false,
  linkLimits: { downloads: 10_000, bytes: null },
  operator: operatorDetails({}),
  adapterDigests: { package: '', program: '', client: '' },
};
const methods = clientMethods(site);

/** Runs in a folder in which the packages of this repository can be found. */
function inFolder<T>(use: (folder: string) => T): T {
  mkdirSync('node_modules/.cache', { recursive: true });
  const folder = mkdtempSync(path.resolve('node_modules/.cache/typed-clients-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the strict type checker reports about these files. */
function typeErrors(files: Readonly<Record<string, string>>): string[] {
  return inFolder((folder) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    const program = ts.createProgram({
      rootNames: Object.keys(files).map((name) => path.join(folder, name)),
      options: {
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: false,
        erasableSyntaxOnly: true,
        verbatimModuleSyntax: true,
        isolatedModules: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
        types: ['node'],
      },
    });
    return ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ file, messageText }) =>
          `${path.basename(file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      );
  });
}

/** Checks the example response of every operation against its method's type. */
const responses = `import type * as client from './tuppence.mts';
${methods
  .map(
    ({ name, operation }) =>
      `export const ${camelCase(name)}: client.${pascalCase(name)}Output = ${JSON.stringify(operation.example.output)};`,
  )
  .join('\n')}
`;

test('every operation has a method and a program in both languages', () => {
  const all = [...operations, ...freeOperations];
  expect(methods.map(({ operation }) => operation.id)).toEqual(all.map(({ id }) => id));
  const client = typescriptClient(site);
  for (const { name } of methods) expect(client).toContain(`\n  ${camelCase(name)}(input: `);
  const python = pythonClient(site);
  for (const { name } of pythonMethods(site)) expect(python).toContain(`\n    def ${name}(self, `);
  // Signing in with a wallet requires the official client.
  const missing = methods.filter((method) => !pythonMethods(site).some(({ name }) => name === method.name));
  for (const { operation } of missing) expect(operation).toMatchObject({ access: 'wallet' });
  const samples = samplesText(site);
  for (const { id } of all) expect(samples).toContain(`\n## ${id}\n`);
});

test('the TypeScript client, the program of every operation and the guide pass the strict type checker', async () => {
  const programs = Object.fromEntries(
    methods.map((method) => [`${method.name}.ts`, typescriptProgram(method, site)]),
  );
  const guide = (await blocksOf('docs/typed-clients.md')).filter(({ language }) => language === 'ts');
  expect(guide.length).toBeGreaterThan(2);
  const ofGuide = Object.fromEntries(guide.map((block) => [`guide-${fileNameOf(block)}`, block.text]));
  const wrong = `import { Tuppence } from './tuppence.mts';
const tuppence = new Tuppence();
await tuppence.airportsSearch({ query: 1 });
await tuppence.airportsSearch({});
const { nothing } = await tuppence.airportsSearch({ query: 'faro' });
export { nothing };
`;
  const files = {
    'tuppence.mts': typescriptClient(site),
    'responses.ts': responses,
    ...programs,
    ...ofGuide,
  };
  const errors = typeErrors({ ...files, 'wrong.ts': wrong });
  expect(errors.filter((error) => !error.startsWith('wrong.ts'))).toEqual([]);
  expect(errors.filter((error) => error.startsWith('wrong.ts'))).toHaveLength(3);
});

const python = findPython();

test('Python compiles its client and the program of every operation', async () => {
  test.skip(python === null, 'there is no Python on this machine; the test below reads their structure');
  const guide = (await blocksOf('docs/typed-clients.md')).filter(({ language }) => language === 'python');
  expect(guide.length).toBeGreaterThan(0);
  inFolder((folder) => {
    const files = {
      'tuppence.py': pythonClient(site),
      ...Object.fromEntries(pythonPrograms().map(([name, text]) => [`call_${name}.py`, text])),
      ...Object.fromEntries(guide.map((block, index) => [`guide_${index}.py`, block.text])),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    const compile = 'import sys\nfor f in sys.argv[1:]: compile(open(f, encoding="utf-8").read(), f, "exec")';
    execFileSync(python ?? '', ['-c', compile, ...Object.keys(files)], { cwd: folder, stdio: 'pipe' });
    // Python evaluates these types only on demand, so a missing name would not be noticed otherwise.
    const look = `import typing, tuppence
for name, value in vars(tuppence).items():
    if isinstance(value, type): typing.get_type_hints(value)
for name, value in vars(tuppence.Tuppence).items():
    if callable(value): typing.get_type_hints(value)`;
    execFileSync(python ?? '', ['-B', '-c', look], { cwd: folder, stdio: 'pipe' });
  });
});

function pythonPrograms(): [string, string][] {
  return methods.flatMap((method: ClientMethod) => {
    const program = pythonProgram(method, site);
    return program === null ? [] : [[method.name, program] as [string, string]];
  });
}

test('the Python files have whole strings, pairs of brackets and indents of four', () => {
  for (const [name, text] of [['tuppence', pythonClient(site)] as const, ...pythonPrograms()]) {
    const code = text
      .replaceAll(/"""[\s\S]*?"""/g, '""')
      .replaceAll(/r?"(?:[^"\\\n]|\\.)*"/g, '""')
      .replaceAll(/#.*$/gm, '');
    expect([name, code.replaceAll('""', '').includes('"')]).toEqual([name, false]);
    const open: string[] = [];
    for (const bracket of code.replaceAll(/[^()[\]{}]/g, '')) {
      const pair = { ')': '(', ']': '[', '}': '{' }[bracket];
      if (pair === undefined) open.push(bracket);
      else expect([name, open.pop()]).toEqual([name, pair]);
    }
    expect([name, open]).toEqual([name, []]);
    for (const [indent] of code.matchAll(/^ +/gm)) expect([name, indent.length % 4]).toEqual([name, 0]);
  }
});

test('literals of Python have its words for nothing and truth', () => {
  expect(literal({ a: null, b: true, c: [false, 1.5, 'x"y'], d: undefined }, '')).toBe(
    '{\n    "a": None,\n    "b": True,\n    "c": [False, 1.5, "x\\"y"],\n}',
  );
});

test('a schema with a keyword that no type expresses is refused, not guessed', () => {
  expect(() => shapeOf({ $ref: '#/components/schemas/A' })).toThrow();
  expect(() => shapeOf({ allOf: [{ type: 'string' }] })).toThrow();
  expect(shapeOf({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toEqual({
    kind: 'union',
    members: [{ kind: 'string' }, { kind: 'null' }],
  });
});
