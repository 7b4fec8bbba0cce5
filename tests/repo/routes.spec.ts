import path from 'node:path';
import { expect, test } from '@playwright/test';
import ts from 'typescript';
import { freeOperations, operations } from '@/lib/catalog';
import { listFiles, read } from './sources';

const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** The last resort, which says 404. */
const otherRoutes: Readonly<Record<string, readonly string[]>> = {
  '/v1/{...path}': ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'],
};

/** `app/v1/uploads/[id]/route.ts` answers `/v1/uploads/{id}`. */
function pathOf(file: string): string {
  return path.posix
    .dirname(file)
    .replace(/^app/, '')
    .replaceAll(/\/\([^)]+\)/g, '')
    .replaceAll(/\[([^\]]+)\]/g, '{$1}');
}

/** The methods that a route file handles: what it exports, or what it hands to `methods` where that exports every method. */
function exportedMethods(file: string): string[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const names = source.statements.flatMap((statement) => {
    if (
      ts.isExportDeclaration(statement) &&
      statement.exportClause &&
      ts.isNamedExports(statement.exportClause)
    ) {
      return statement.exportClause.elements.map((element) => element.name.text);
    }
    if (!ts.canHaveModifiers(statement)) return [];
    const modifiers = ts.getModifiers(statement) ?? [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isFunctionDeclaration(statement)) return [statement.name?.text ?? ''];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
      ts.isObjectBindingPattern(name) ? handledMethods(initializer) : [name.getText(source)],
    );
  });
  return names.filter((name) => methods.includes(name)).sort();
}

/** The keys of the handlers in `methods({ POST: … })`. */
function handledMethods(call: ts.Expression | undefined): string[] {
  if (!call || !ts.isCallExpression(call) || call.expression.getText() !== 'methods') return [];
  const [handlers] = call.arguments;
  if (!handlers || !ts.isObjectLiteralExpression(handlers)) return [];
  return handlers.properties.map((property) => property.name?.getText() ?? '');
}

/** Every path and the methods it takes, as the tree of routes has them. */
function readTree(): Record<string, string[]> {
  const files = listFiles(/^app\/v1\/.*\/route\.tsx?$/);
  return Object.fromEntries(files.map((file) => [pathOf(file), exportedMethods(file)]));
}

test('the tree of routes is the catalog and the free routes, method by method', () => {
  const expected: Record<string, string[]> = Object.fromEntries(
    Object.entries(otherRoutes).map(([route, taken]) => [route, [...taken]]),
  );
  for (const { method, paths } of operations) {
    for (const route of Object.values(paths)) expected[route] = [...(expected[route] ?? []), method].sort();
  }
  for (const { method, path } of freeOperations.filter((operation) => operation.path.startsWith('/v1/'))) {
    expected[path] = [...(expected[path] ?? []), method].sort();
  }
  expect(readTree()).toEqual(expected);
});

test('a route of a paid operation names that operation and its rail, and decides nothing', () => {
  for (const { id, method, paths } of operations) {
    for (const [rail, route] of Object.entries(paths)) {
      const file =
        listFiles(/^app\/v1\/.*\/route\.tsx?$/).find((candidate) => pathOf(candidate) === route) ?? '';
      const [category, verb] = id.split('.');
      const entry = verb === 'delete' ? 'remove' : verb;
      expect(read(file), file).toMatch(
        new RegExp(`\\b${method}: paid\\('${rail}', ${category}\\.${entry}\\)`),
      );
    }
  }
});

test('every route file outside of the last resort answers the methods that it does not take', () => {
  for (const file of listFiles(/^app\/(.*\/)?route\.tsx?$/)) {
    if (file === 'app/v1/[...path]/route.ts') continue;
    expect(read(file), file).toContain(
      'export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods(',
    );
  }
});

test('a paid route is a dozen lines at most and has no branch', () => {
  const paid = new Set(operations.flatMap(({ paths }) => Object.values(paths)));
  for (const file of listFiles(/^app\/v1\/.*\/route\.tsx?$/).filter((candidate) =>
    paid.has(pathOf(candidate)),
  )) {
    const text = read(file);
    expect(text.trimEnd().split('\n').length, file).toBeLessThanOrEqual(12);
    expect(text, file).not.toMatch(/\b(if|switch|try|for|while)\b|\?|=>/);
  }
});

test('every operation gives an example that its own schemas accept', () => {
  for (const { id, params, output, example } of [...operations, ...freeOperations]) {
    expect(params.safeParse(example.params).success, `${id}: params`).toBe(true);
    expect(output.safeParse(example.output).success, `${id}: output`).toBe(true);
  }
  for (const { id, body, example } of operations)
    expect(body.safeParse(example.body).success, `${id}: body`).toBe(true);
});
