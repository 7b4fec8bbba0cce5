import { freeOperations, operations } from '@/lib/catalog';
import { findFreeHandler } from '@/lib/http/free-operations';
import { paymentFlowOf } from '@/lib/platform/upstream/availability';
import { findService, services } from '@/lib/services';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

test('every paid operation of the catalog has one service, in the list of lib/services/index.ts', () => {
  for (const { id } of operations)
    expect(findService(id)?.operation.id, `lib/services/index.ts lists no service for ${id}`).toBe(id);
  const ids = services.map(({ operation }) => operation.id);
  expect(ids, 'lib/services/index.ts lists two services for one operation').toEqual([...new Set(ids)]);
});

test('every service belongs to an operation that the catalog offers', () => {
  const offered = operations.map(({ id }) => id);
  for (const { operation } of services) {
    const message = `lib/services/index.ts has a service for ${operation.id}, which no list in lib/catalog has`;
    expect(offered, message).toContain(operation.id);
  }
});

test('every free operation has a handler in lib/http/free-operations.ts', () => {
  for (const { id } of freeOperations)
    expect(findFreeHandler(id), `lib/http/free-operations.ts has nothing for ${id}`).not.toBeNull();
});

const withProviders = {
  EXA_API_KEY: 'a',
  FIRECRAWL_API_KEY: 'b',
  SERPER_API_KEY: 'c',
  DUFFEL_API_KEY: 'duffel_test_d',
};
const flowOf = (platform: ReturnType<typeof testPlatform>) =>
  Object.fromEntries(operations.map((operation) => [operation.id, paymentFlowOf(platform, operation)]));

for (const [what, settings] of [
  ['with providers', withProviders],
  ['with our own reader', { CHROMIUM_PATH: '/usr/bin/chromium' }],
] as const) {
  test(`an operation says that it is charged up front exactly if its service does not do all work before the charge (${what})`, () => {
    const platform = testPlatform(settings);
    const done = operations.map(({ id }) => {
      const service = findService(id);
      const isRead = service?.preparesWith?.(platform as never) === 'browser';
      const isPrepared = service?.prepare !== undefined && (!service.callsThirdParty || isRead);
      return [id, isPrepared ? 'authorization' : 'upfront'];
    });
    expect(flowOf(platform)).toEqual(Object.fromEntries(done));
  });
}

test('the calls that fail uncharged are those whose work is done before the payment', () => {
  const uncharged = (settings: Record<string, string>) =>
    Object.entries(flowOf(testPlatform(settings))).flatMap(([id, flow]) => (flow === 'upfront' ? [] : [id]));
  const always = ['flights.offer', 'render.pdf', 'uploads.delete', 'uploads.renew'];
  expect(uncharged(withProviders).sort()).toEqual(always);
  const read = uncharged({ CHROMIUM_PATH: '/usr/bin/chromium' }).sort();
  expect(read).toEqual([...always, 'crawl.scrape', 'neural.contents'].sort());
});
