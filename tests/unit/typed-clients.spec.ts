import { freeOperations, operations } from '@/lib/catalog';
import { camelCase } from '@/lib/discovery/typed-clients/methods';
import { literal, pythonClient, pythonMethods } from '@/lib/discovery/typed-clients/python';
import { samplesText } from '@/lib/discovery/typed-clients/samples';
import { shapeOf } from '@/lib/discovery/typed-clients/shape';
import { typescriptClient } from '@/lib/discovery/typed-clients/typescript';
import { methods, pythonPrograms, site } from '../support/typed-client-site';
import { expect, test } from '../support/without-browser';

/** The typed clients and the programs for every operation. Compilers check them in tests/repo, tests/api/typed-clients.spec.ts runs them. */

test('every operation has a method and a program in both languages', () => {
  const all = [...operations, ...freeOperations];
  expect(methods.map(({ operation }) => operation.id)).toEqual(all.map(({ id }) => id));
  const client = typescriptClient(site);
  for (const { name } of methods) expect(client).toContain(`\n  ${camelCase(name)}(input: `);
  const python = pythonClient(site);
  const inPython = pythonMethods(site).map(({ name }) => name);
  for (const name of inPython) expect(python).toContain(`\n    def ${name}(self, `);
  // Signing in with a wallet requires the official client.
  const missing = methods.filter(({ name }) => !inPython.includes(name));
  for (const { operation } of missing) expect(operation).toMatchObject({ access: 'wallet' });
  const samples = samplesText(site);
  for (const { id } of all) expect(samples).toContain(`\n## ${id}\n`);
});

test('the Python files have whole strings, pairs of brackets and indents of four', () => {
  const wrong: string[] = [];
  for (const [name, text] of [['tuppence', pythonClient(site)] as const, ...pythonPrograms()]) {
    const code = text
      .replaceAll(/"""[\s\S]*?"""/g, '""')
      .replaceAll(/r?"(?:[^"\\\n]|\\.)*"/g, '""')
      .replaceAll(/#.*$/gm, '');
    if (code.replaceAll('""', '').includes('"')) wrong.push(`${name}: a string without an end`);
    const open: string[] = [];
    for (const bracket of code.replaceAll(/[^()[\]{}]/g, '')) {
      const pair = { ')': '(', ']': '[', '}': '{' }[bracket];
      if (pair === undefined) open.push(bracket);
      else if (open.pop() !== pair) wrong.push(`${name}: ${bracket} without its pair`);
    }
    if (open.length > 0) wrong.push(`${name}: ${open.join('')} stays open`);
    for (const [indent] of code.matchAll(/^ +/gm))
      if (indent.length % 4 !== 0) wrong.push(`${name}: an indent of ${indent.length}`);
  }
  expect(wrong).toEqual([]);
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
