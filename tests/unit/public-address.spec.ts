import { scrape } from '@/lib/catalog/crawl';
import { contents, findSimilar } from '@/lib/catalog/neural';
import { publicUrl } from '@/lib/catalog/public-url';
import { publicTargets } from '@/lib/platform/addresses/target';
import { readUrl } from '@/lib/platform/addresses/url';
import { checkTarget } from '@/lib/services/research/reader/egress/dial';
import { type EgressRules, publicInternet } from '@/lib/services/research/reader/egress/rules';
import { malformed, targets } from '../reader/targets';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { blocks4, blocks6 } from './public-address/blocks';
import { privateNames, publicUrls, strayUrls } from './public-address/rows';

/** The product's rules, with a name server that resolves every name to a public address. */
const everyNameKnown: EgressRules = { ...publicInternet, resolve: async () => ['93.184.215.14'] };

const isSold = (url: string) => publicUrl.safeParse(url).success;
/** Whether the reader would open a connection for this address. */
async function isRead(url: string, rules = everyNameKnown): Promise<boolean> {
  const target = readUrl(url);
  return typeof target !== 'string' && typeof (await checkTarget(target, rules)) !== 'string';
}

async function expectEach(urls: readonly string[], isPublic: boolean): Promise<void> {
  expect(urls.length).toBeGreaterThan(0);
  const found = await Promise.all(
    urls.map(async (url) => ({ url, isSold: isSold(url), isRead: await isRead(url) })),
  );
  expect(found).toEqual(urls.map((url) => ({ url, isSold: isPublic, isRead: isPublic })));
}

const urlsOf = (address: string) => {
  const host = address.includes(':') ? `[${address}]` : address;
  return [`http://${host}/`, `https://${host}/page?a=b`];
};
/** One IPv4 address in every spelling that the URL standard accepts. */
const spellings = (address: string) => {
  const octets = address.split('.').map(Number);
  const whole = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  const [a = 0, b = 0, c = 0, d = 0] = octets;
  return [
    address,
    `${address}.`,
    String(whole),
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    octets.map((octet) => `0x${octet.toString(16)}`).join('.'),
    octets.map((octet) => `0${octet.toString(8)}`).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    address.replaceAll('.', '。'),
  ];
};
/** The first and the last address of a block. */
const ends = (block: { first: string; last: string }) => [block.first, block.last];
const neighbors = (block: { before?: string; after?: string }) =>
  [block.before, block.after].flatMap((address) => address ?? []);

for (const [name, block] of Object.entries(blocks4)) {
  test(`IPv4 ${name}: neither offered nor read, in any spelling; the addresses next to it are both`, async () => {
    await expectEach(ends(block).flatMap(spellings).flatMap(urlsOf), false);
    if (neighbors(block).length > 0)
      await expectEach(neighbors(block).flatMap(spellings).flatMap(urlsOf), true);
  });
}

for (const [name, block] of Object.entries(blocks6)) {
  test(`IPv6 ${name}: neither offered nor read; the addresses next to it are both`, async () => {
    await expectEach(ends(block).flatMap(urlsOf), false);
    if (neighbors(block).length > 0) await expectEach(neighbors(block).flatMap(urlsOf), true);
  });
}

test('names below private and special top-level domains are neither offered nor read', async () => {
  await expectEach(
    privateNames.flatMap((name) => [`http://${name}/`, `https://${name.toUpperCase()}./`]),
    false,
  );
});

test('hosts with stray characters, other schemes, user names and other ports are neither offered nor read', async () => {
  await expectEach(strayUrls, false);
});

test('a host with invalid Punycode, which only newer versions of Node take for a name, is offered if it is read', async () => {
  const url = 'http://xn--a.com/';
  expect(isSold(url)).toBe(await isRead(url));
});

test('a URL that the egress proxy refuses is not offered either', async () => {
  const hosts = Object.entries(targets)
    .filter(([kind]) => kind !== 'names that lead there')
    .flatMap(([, kind]) => kind);
  await expectEach(
    [...hosts, ...malformed].map((host) => `http://${host}/`),
    false,
  );
});

test('unusual public hosts are both offered and read', async () => {
  await expectEach(publicUrls, true);
});

test('a host with an umlaut is still accepted after thousands of others', () => {
  const refused = Array.from({ length: 20_000 }, () => readUrl('http://b\u00fccher.de/')).filter(
    (target) => typeof target === 'string',
  );
  expect(refused).toEqual([]);
});

test(
  'the reader offers exactly the addresses that it reads, on both sides of every block boundary',
  fullOnly,
  async () => {
    const seconds = [
      0, 1, 15, 16, 17, 18, 19, 20, 31, 32, 51, 52, 63, 64, 88, 127, 128, 168, 169, 175, 253, 254,
    ];
    const thirds = [0, 1, 2, 3, 48, 99, 100, 113, 129, 193, 196];
    const four = Array.from({ length: 256 }, (_, first) =>
      seconds.flatMap((second) => thirds.map((third) => `${first}.${second}.${third}.16`)),
    ).flat();
    const six = Array.from({ length: 1024 }, (_, at) => (at * 64).toString(16)).flatMap((first) =>
      ['0', '1', '1ff', '200', 'db8', '4f', 'ff9b', 'ffff'].map((second) => `[${first}:${second}::7]`),
    );
    // Without a look at this machine's own addresses for each of 70,000.
    const anyMachine = { ...everyNameKnown, isAddressAllowed: publicTargets.isAddressAllowed };
    const different: string[] = [];
    let sold = 0;
    for (const host of [...four, ...six]) {
      const url = `https://${host}/`;
      const sells = isSold(url);
      if (sells) sold += 1;
      if (sells !== (await isRead(url, anyMachine))) different.push(url);
    }
    expect(different).toEqual([]);
    expect(sold).toBeGreaterThan(40_000);
  },
);

test('every operation that takes URLs of pages refuses the same ones, with field and rule', () => {
  const rules: Readonly<Record<string, RegExp>> = {
    'ftp://example.com/': /^must be an http or https URL/,
    'http://user@example.com/': /^must not contain a user name or password$/,
    'https://example.com:8443/': /^must use port 80 or 443$/,
    'http://[64:ff9b::7f00:1]/': /^must be on a public host/,
    'http://printer.lan/': /^must be on a public host/,
  };
  for (const [url, rule] of Object.entries(rules)) {
    const bodies = [
      { operation: scrape, body: { url }, path: ['url'] },
      { operation: findSimilar, body: { url }, path: ['url'] },
      { operation: contents, body: { urls: ['https://example.com/', url] }, path: ['urls', 1] },
    ];
    for (const { operation, body, path } of bodies) {
      const [issue] = operation.body?.safeParse(body).error?.issues ?? [];
      expect(issue?.path, `${operation.id} ${url}`).toEqual(path);
      expect(issue?.message, `${operation.id} ${url}`).toMatch(rule);
    }
  }
});
