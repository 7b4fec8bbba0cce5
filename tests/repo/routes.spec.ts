import path from 'node:path';
import ts from 'typescript';
import * as catalog from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { kindOf } from '@/lib/http/call-limits';
import { expect, test } from '../support/without-browser';
import { listFiles, read } from './sources';

const { freeOperations, operations } = catalog;

const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** Routes that are not operations. */
const otherRoutes: Readonly<Record<string, readonly string[]>> = {
  // The catch-all, which answers 404.
  '/v1/{...path}': ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'],
  // Part of a payment scheme. Its clients request it.
  '/v1/channels/refund': ['GET'],
};

/** The path that a route file serves: `/v1/uploads/{id}` for `app/v1/uploads/[id]/route.ts`. */
function pathOf(file: string): string {
  return path.posix
    .dirname(file)
    .replace(/^app/, '')
    .replaceAll(/\[([^\]]+)\]/g, '{$1}');
}

/** The route file of a path. */
function fileOf(route: string): string {
  return `app${route.replaceAll('{', '[').replaceAll('}', ']')}/route.ts`;
}

const routeFiles = listFiles(/^app\/v1\/.*\/route\.tsx?$/);

/** The methods that a route file handles: those that it exports or, where it exports every method, those passed to `methods`. */
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

/** Every path in the catalog, with its methods. */
function methodsByPath(): Record<string, string[]> {
  const taken: Record<string, string[]> = Object.fromEntries(
    Object.entries(otherRoutes).map(([route, methodsThere]) => [route, [...methodsThere]]),
  );
  const add = (route: string, method: string) => {
    taken[route] = [...(taken[route] ?? []), method].sort();
  };
  for (const { method, paths } of operations) for (const route of Object.values(paths)) add(route, method);
  for (const { method, path: route } of freeOperations) if (route.startsWith('/v1/')) add(route, method);
  return taken;
}

/** How a route file names an operation: by its catalog file, and its name in there. */
function nameOf(operation: Operation): string {
  for (const [file, entries] of Object.entries(catalog)) {
    if (Array.isArray(entries)) continue;
    for (const [name, entry] of Object.entries(entries)) if (entry === operation) return `${file}.${name}`;
  }
  throw new Error(`lib/catalog/index.ts does not export the file of ${operation.id}`);
}

test('the route tree matches the catalog and the free routes, method by method', () => {
  const expected = methodsByPath();
  const wrong = Object.entries(expected).flatMap(([route, taken]) => {
    const file = fileOf(route);
    const [wanted, found] = [taken.join(), routeFiles.includes(file) ? exportedMethods(file).join() : ''];
    if (found === '') return [`${file} is missing: the catalog has ${wanted} ${route}`];
    return found === wanted ? [] : [`${file} handles ${found}, the catalog has ${wanted} ${route}`];
  });
  const unknown = routeFiles
    .filter((file) => expected[pathOf(file)] === undefined)
    .map((file) => `${file} is at ${pathOf(file)}, which the catalog does not have`);
  expect([...wrong, ...unknown]).toEqual([]);
});

test('a route of a paid operation names that operation and its rail, and decides nothing', () => {
  const wrong = operations.flatMap((operation) =>
    Object.entries(operation.paths).flatMap(([rail, route]) => {
      const file = fileOf(route);
      const binding = `${operation.method}: paid('${rail}', ${nameOf(operation)})`;
      if (routeFiles.includes(file) && read(file).includes(binding)) return [];
      return [`${file} must contain ${binding}`];
    }),
  );
  expect(wrong).toEqual([]);
});

test('every route file except the catch-all handles unsupported methods', () => {
  for (const file of listFiles(/^app\/(.*\/)?route\.tsx?$/)) {
    if (file === 'app/v1/[...path]/route.ts') continue;
    expect(read(file), file).toContain(
      'export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods(',
    );
  }
});

test('a paid route is a dozen lines at most and has no branch', () => {
  const paid = new Set(operations.flatMap(({ paths }) => Object.values(paths)));
  for (const file of routeFiles.filter((candidate) => paid.has(pathOf(candidate)))) {
    const text = read(file);
    expect(text.trimEnd().split('\n').length, file).toBeLessThanOrEqual(12);
    expect(text, file).not.toMatch(/\b(if|switch|try|for|while)\b|\?|=>/);
  }
});

test('our listener leaves every page that is rendered for each request to its route', () => {
  const constant = /serve(Page|Document|AdapterFile|SecurityTxt)/;
  const rendered = listFiles(/^app\/.*route\.tsx?$/)
    .filter((file) => !/^app\/(v1|health|internal|mcp|metrics)\//.test(file))
    .filter((file) => !/\.well-known\/(did|jwks)\.json/.test(file) && !constant.test(read(file)))
    .map((file) => pathOf(file).replaceAll(/\{\w+\}/g, 'x'));
  expect(rendered).toContain('/f/x');
  expect(rendered.filter((route) => kindOf({ method: 'GET', path: route }) !== 'free')).toEqual([]);
});
