import { freeOperations, operations } from '@/lib/catalog';
import { adapterTools } from '@/lib/catalog/adapter-tools';
import { findPath } from '@/lib/catalog/endpoints';
import { findCall } from '@/lib/catalog/names';
import { operationIdOn, type RailName } from '@/lib/catalog/operation';
import { remoteTools } from '@/lib/discovery/remote-tools';
import { camelCase, clientMethods } from '@/lib/discovery/typed-clients/methods';
import { methodNotAllowed } from '@/lib/http/method-not-allowed';
import { allowedAt, pathNotFound } from '@/lib/http/paths-of-api';
import { validateDryRun } from '@/lib/http/validate-dry-run';
import { expect, test } from '../support/without-browser';

/** What /v1/tools/check takes for the name of a call, and what it says to a wrong one. */

const ruleFor = async (operation: string) => {
  const verdict = await validateDryRun(Buffer.from(JSON.stringify({ operation })), () => undefined);
  if (verdict.kind !== 'refused') throw new Error(`${operation} was found`);
  return verdict.issues[0];
};

test('a paid call is found by every name that documents and clients have for it', () => {
  const methods = clientMethods({ isAvailable: () => true });
  const lost: string[] = [];
  for (const one of operations) {
    const rails = Object.entries(one.paths) as [RailName, string][];
    const names = [
      one.id,
      one.priceName,
      ...rails.map(([rail]) => operationIdOn(one, rail)),
      ...rails.map(([, path]) => `${one.method} ${path}`),
      ...rails.map(
        ([, path]) => `${one.method.toLowerCase()} ${path.replace('{id}', 'up_3nKq0Zt7mVb2XsYd81Pf')}`,
      ),
      ...remoteTools().flatMap(({ name, operation }) => (operation === one ? [name] : [])),
      ...adapterTools.flatMap(({ name, operation }) => (operation === one.id ? [name] : [])),
      ...methods.flatMap(({ name, operation }) => (operation === one ? [name, camelCase(name)] : [])),
    ];
    lost.push(...names.filter((name) => findCall(name)?.id !== one.id));
  }
  expect(lost).toEqual([]);
});

test('no name belongs to two calls', () => {
  const ids = [...operations, ...freeOperations].map(({ id }) => id);
  for (const id of ids) expect(findCall(id)?.id).toBe(id);
});

const wrong: readonly (readonly [name: string, nearest: string])[] = [
  ['uploads.creat', 'uploads.create'],
  ['neural/searh', 'neural.search'],
  ['scrape', 'crawl.scrape'],
  ['GET /v1/uploads', 'uploads.create'],
  ['POST /v1/airport/search', 'airports.search'],
];
for (const [name, expected] of wrong)
  test(`${name} is no name of a call, and the answer names ${expected}`, async () => {
    const issue = await ruleFor(name);
    expect(issue?.path).toBe('operation');
    expect(issue?.rule).toContain(expected);
  });

test('a name that resembles nothing is answered with where all names are', async () => {
  expect((await ruleFor('💥'.repeat(100)))?.rule).toContain('GET /v1/tools/prices');
});

test('a free call needs no check, and the answer says so', async () => {
  expect((await ruleFor('tools.prices'))?.rule).toContain('free call');
});

test('a 404 names the nearest path, if one is near', () => {
  for (const [path, meant] of [
    ['/v1/airport/search', 'POST /v1/airports/search'],
    ['/v1/Uploads/', 'POST /v1/uploads'],
    ['/v1/form', 'POST /v1/forms'],
    ['/v1/uploads/up_3nKq0Zt7mVb2XsYd81PfLcRw/renw', 'POST /v1/uploads/{id}/renew'],
  ])
    expect(pathNotFound(path ?? '').message, path).toContain(`Did you mean ${meant}? Nothing was charged.`);
  expect(pathNotFound('/v1/weather/tomorrow').message).not.toContain('Did you mean');
});

test('a 405 says which method to use, and that nothing was charged', () => {
  const { message } = methodNotAllowed(allowedAt(findPath('/v1/airports/search')));
  expect(message).toBe('Use POST for this URL. Nothing was charged.');
});
