import type { BotIdentity } from '@/lib/services/research/reader/bot-identity';
import { type EgressRules, publicInternet } from '@/lib/services/research/reader/egress/rules';
import type { ReadRequest } from '@/lib/services/research/reader/page/read';
import { type Reading, ReadingPool } from '@/lib/services/research/reader/reading-pool';
import { testPlatform } from '../support/platform';

/**
 * The product's reader, with rules that let it reach these ports of this machine, under any name that ends in .test. No
 * setting can do that: rules are an argument of the constructor.
 */
export function readerOf(
  ports: readonly number[],
  size = 1,
  rules: Partial<EgressRules> = {},
  waitingMax = 100,
  identity: BotIdentity | null = null,
): ReadingPool {
  return new ReadingPool(
    testPlatform(),
    { size, waitingMax, chromiumPath: undefined, identity },
    {
      ...publicInternet,
      resolve: async (name) => (name.endsWith('.test') ? ['127.0.0.1'] : []),
      isPortAllowed: () => true,
      isNameAllowed: (name) => name.endsWith('.test') || publicInternet.isNameAllowed(name),
      isAddressAllowed: (address, port) => address === '127.0.0.1' && ports.includes(port),
      ...rules,
    },
  );
}

export function asking(url: string, more: Partial<ReadRequest> = {}): ReadRequest {
  return {
    url,
    formats: ['markdown', 'links', 'rawHtml'],
    onlyMainContent: true,
    waitFor: 0,
    mobile: false,
    timeout: 45_000,
    ...more,
  };
}

/** The data of a page that was read. */
export function dataOf(reading: Reading) {
  if (reading.kind === 'read') return reading.data;
  throw new Error(`not read: ${reading.kind} ${'cause' in reading ? reading.cause : ''}`);
}

/** Does this for every item, two at a time, because requests that wait too long for a browser are turned away. */
export async function forEvery<T>(
  items: readonly T[],
  work: (item: T, at: number) => Promise<void>,
): Promise<void> {
  const rest = [...items.entries()];
  const lane = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) await work(next[1], next[0]);
  };
  await Promise.all([lane(), lane()]);
}
