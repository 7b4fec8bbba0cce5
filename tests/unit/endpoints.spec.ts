import { flights, freeOperations, operations, uploads } from '@/lib/catalog';
import { endpointFor, findPath, paidEndpoint, paramsIn } from '@/lib/catalog/endpoints';
import { otherPaths } from '@/lib/catalog/other-paths';
import { twinLink } from '@/lib/payments/rail';
import { expect, test } from '../support/without-browser';

/** Every path of the API with its method, and the operation or the name that it is for. */
const entries = [
  ...operations.flatMap((operation) =>
    Object.entries(operation.paths).map(([rail, path]) => ({
      method: operation.method,
      path,
      is: { operation, rail },
    })),
  ),
  ...freeOperations.map((operation) => ({
    method: operation.method,
    path: operation.path,
    is: { operation },
  })),
  ...Object.entries(otherPaths).map(([name, { method, path }]) => ({ method, path, is: { name } })),
];

const filledIn = (path: string) => path.replaceAll(/\{\w+\}/g, 'x');

test('a request to a path of the catalog finds the operation and the rail', () => {
  for (const { method, path, is } of entries) {
    const found = findPath(filledIn(path));
    expect(found?.template, path).toBe(path);
    expect(found && endpointFor(found, method), path).toMatchObject(is);
  }
});

test('the 402 of a call leads to the same call on the other protocol, and never copies what is not fit for a header', () => {
  const rails = { x402: 'mpp', mpp: 'x402' } as const;
  const linked: string[] = [];
  for (const operation of operations) {
    for (const from of ['x402', 'mpp'] as const) {
      const path = filledIn(operation.paths[from] ?? '');
      const { Link: link } = twinLink(operation, from, path);
      const target = /^<([^>]+)>; rel="alternate"; title="(?:MPP|x402)"$/.exec(link ?? '')?.[1];
      expect([from, target !== undefined]).toEqual([from, operation.paths.mpp !== undefined]);
      if (target === undefined) continue;
      const found = findPath(target);
      expect(found && endpointFor(found, operation.method)).toMatchObject({ operation, rail: rails[from] });
      linked.push(target);
    }
  }
  expect(linked).toContain('/v1/mpp/uploads/x/renew');
  const hostile = ['a">b', 'a%00<b', 'a,b', '', 'x'.repeat(201), 'é', '{id}'];
  for (const id of hostile)
    expect(twinLink(uploads.renew, 'x402', `/v1/uploads/${id}/renew`), id).toEqual({});
});

test('a path with a method is for one thing', () => {
  const addresses = entries.map(({ method, path }) => `${method} ${filledIn(path)}`);
  expect(addresses).toEqual([...new Set(addresses)]);
});

test('a path without parameters is found without trying patterns', () => {
  const paths = ['/v1/uploads', '/v1/mpp/serp/search', '/health'];
  const { exec } = RegExp.prototype;
  let tried = 0;
  let found: (string | undefined)[] = [];
  RegExp.prototype.exec = function count(text) {
    tried += 1;
    return exec.call(this, text);
  };
  try {
    found = paths.map((path) => findPath(path)?.template);
  } finally {
    RegExp.prototype.exec = exec;
  }
  expect([found, tried]).toEqual([paths, 0]);
});

test('a path that the catalog does not have finds nothing', () => {
  for (const path of [
    '/v1',
    '/v1/',
    '/v1/uploads/',
    '/v1/uploads/x/renew/x',
    '/v1/%75ploads',
    '/V1/uploads',
    '/wellXknown/did.json',
    '/__proto__',
  ])
    expect(findPath(path), path).toBeNull();
});

test('parameters of a path are decoded', () => {
  const path = '/v1/uploads/a%2Fb%20%C3%A9/renew';
  const found = findPath(path);
  expect(found && paramsIn(found, path)).toEqual({ id: 'a/b é' });
});

test('HEAD is answered where GET is free, and never where it would be charged', () => {
  const at = (path: string) => {
    const found = findPath(path);
    return found && endpointFor(found, 'HEAD');
  };
  expect(at('/v1/tools/prices')?.method).toBe('GET');
  expect(at('/v1/flights/offers/off_1')).toBeNull();
  expect(at('/v1/uploads')).toBeNull();
});

test('an operation cannot be paired with a rail that it does not have', () => {
  expect(paidEndpoint(uploads.create, 'mpp').path).toBe('/v1/mpp/uploads');
  // @ts-expect-error details of a flight offer have no path for MPP
  expect(() => paidEndpoint(flights.offer, 'mpp')).toThrow('flights.offer has no path for mpp');
});
