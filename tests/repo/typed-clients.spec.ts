import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { camelCase, pascalCase } from '@/lib/discovery/typed-clients/methods';
import { typescriptProgram } from '@/lib/discovery/typed-clients/programs';
import { pythonClient } from '@/lib/discovery/typed-clients/python';
import { typescriptClient } from '@/lib/discovery/typed-clients/typescript';
import { blocksOf, fileNameOf } from '../support/guides';
import { findPython } from '../support/python';
import { fullOnly } from '../support/tiers';
import { methods, pythonPrograms, site } from '../support/typed-client-site';
import { expect, test } from '../support/without-browser';

/** The typed clients and the programs for every operation, as compilers see them. tests/api/typed-clients.spec.ts runs them. */

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

test(
  'the TypeScript client, the program of every operation and the guide pass the strict type checker',
  fullOnly,
  async () => {
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
  },
);

test('Python compiles its client and the program of every operation', async () => {
  const python = findPython();
  test.skip(
    python === null,
    'there is no Python on this machine; tests/unit/typed-clients.spec.ts reads their structure',
  );
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
