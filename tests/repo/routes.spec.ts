import { freeOperations, operations } from '@/lib/catalog';
import { findPath } from '@/lib/catalog/endpoints';
import { otherPaths } from '@/lib/catalog/other-paths';
import { kindOf } from '@/lib/http/call-limits';
import { expect, test } from '../support/without-browser';
import { listFiles, read } from './sources';

const routeFiles = listFiles(/^app\/(.*\/)?route\.tsx?$/);

/** The files that answer requests to the API: all export the same handler, which finds what a path is for. */
const ofApi = routeFiles.filter((file) => /from '@\/app\/_routes\/(api|site)'/.test(read(file)));

/** The path that a route file serves, with its parameters as x. */
function pathOf(file: string): string {
  return file
    .replace(/^app/, '')
    .replace(/\/route\.tsx?$/, '')
    .replaceAll(/\[\w+\]/g, 'x');
}

/** The route file that the framework would choose: the exact path first, then the longest catch-all. */
function fileOf(path: string): string | undefined {
  const exact = routeFiles.find((file) => pathOf(file) === path);
  const catchAll = routeFiles
    .filter((file) => /\[\.\.\./.test(file) && path.startsWith(pathOf(file).replace(/\/\[.*/, '/')))
    .sort((one, other) => other.length - one.length);
  return exact ?? catchAll[0];
}

test('the framework sends every path of the catalog to the handler of the API', () => {
  const paths = [
    ...operations.flatMap((operation) => Object.values(operation.paths)),
    ...freeOperations.map(({ path }) => path),
    ...Object.values(otherPaths).map(({ path }) => path),
  ];
  expect(paths.length).toBeGreaterThan(operations.length);
  expect(paths.filter((path) => !ofApi.includes(fileOf(path) ?? ''))).toEqual([]);
});

test('only the paths that start a browser have route files of their own among those of the API', () => {
  const { functions } = JSON.parse(read('deploy/vercel.json')) as { functions: object };
  const own = ofApi.filter((file) => !file.includes('[...'));
  expect(own.toSorted()).toEqual(
    Object.keys(functions)
      .filter((file) => !file.includes('**'))
      .toSorted(),
  );
  for (const file of own) expect(findPath(pathOf(file)), `the catalog has no ${pathOf(file)}`).not.toBeNull();
});

test('a route file of the API only names its handler, for every method', () => {
  for (const file of ofApi) {
    const [, handler] = /answer(Api|Site) as GET/.exec(read(file)) ?? [];
    const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
    const names = methods.map((method) => `  answer${handler} as ${method},\n`).join('');
    const from = handler === 'Api' ? 'api' : 'site';
    expect(read(file), file).toBe(
      `export {\n${names}} from '@/app/_routes/${from}';\nexport const dynamic = 'force-dynamic';\n`,
    );
  }
});

test('every route file of a page handles unsupported methods', () => {
  for (const file of routeFiles.filter((one) => !ofApi.includes(one))) {
    expect(read(file), file).toContain(
      'export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods(',
    );
  }
});

test('our listener leaves every page that is rendered for each request to its route', () => {
  const rendered = routeFiles.filter((file) => !ofApi.includes(file)).map(pathOf);
  expect(rendered).toContain('/f/x');
  expect(rendered.filter((path) => kindOf({ method: 'GET', path }) !== 'free')).toEqual([]);
});
