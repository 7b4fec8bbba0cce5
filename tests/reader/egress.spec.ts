import { expect, test } from '@playwright/test';
import { publicUrl } from '@/lib/catalog/public-url';
import { isPublicAddress } from '@/lib/reader/egress/address';
import { EgressProxy } from '@/lib/reader/egress/proxy';
import { type EgressRules, publicInternet } from '@/lib/reader/egress/rules';
import { readTarget } from '@/lib/reader/egress/target';
import type { VisitLimits } from '@/lib/reader/egress/visit';
import { type Canary, startCanary } from './canary';
import { get, tunnel } from './proxy-client';
import { malformed, names, targets } from './targets';

const limits: VisitLimits = { bytesMax: 1_000_000, connectionBytesMax: 500_000, connectionsMax: 10_000 };
/** The product's rules on the canary's port, with an attacker's name server. */
const rules: EgressRules = {
  ...publicInternet,
  isPortAllowed: () => true,
  resolve: async (name) => names[name] ?? [],
};
/** What is behind the proxy when it lets everybody in. */
const open: EgressRules = { ...rules, isAddressAllowed: () => true, isNameAllowed: () => true };

let canaries: Canary[];
let port: number;

test.beforeAll(async () => {
  const four = await startCanary('127.0.0.1');
  ({ port } = four);
  const six = await startCanary('::1', port).catch(() => null);
  canaries = six ? [four, six] : [four];
});
test.afterAll(async () => {
  await Promise.all(canaries.map((canary) => canary.close()));
});
const heard = () => canaries.reduce((sum, canary) => sum + canary.connections(), 0);

async function withProxy<T>(having: EgressRules, use: (proxy: EgressProxy) => Promise<T>): Promise<T> {
  const proxy = await EgressProxy.start(having);
  try {
    return await use(proxy);
  } finally {
    await proxy.close();
  }
}

test('the table is as long as it should be', () => {
  expect(Object.values(targets).flat().length + malformed.length).toBeGreaterThanOrEqual(200);
});

for (const [kind, hosts] of Object.entries(targets)) {
  test(`${kind}: nothing is connected to, by CONNECT or in absolute form`, async () => {
    await withProxy(rules, async (proxy) => {
      const before = heard();
      for (const host of hosts) {
        for (const ask of [
          (authority: string, by: Parameters<typeof tunnel>[2]) => tunnel(proxy.port, authority, by),
          (authority: string, by: Parameters<typeof tunnel>[2]) =>
            get(proxy.port, `http://${authority}/`, by),
        ]) {
          const visit = proxy.welcome(limits);
          const status = await ask(`${host}:${port}`, visit);
          expect([403, null], host).toContain(status);
          const target = readTarget(`${host}:${port}`);
          // Node's parser takes no letters beyond Latin-1 in a request; the address is judged all the same.
          const isAscii = /^[\x21-\x7e]*$/.test(host);
          if (target && isAscii) expect(visit.failureOf(target), host).toBe('not_public');
          proxy.leave(visit);
        }
      }
      expect(heard()).toBe(before);
    });
  });
}

test('what is no host leads nowhere', async () => {
  await withProxy(open, async (proxy) => {
    const before = heard();
    for (const host of malformed) {
      const visit = proxy.welcome(limits);
      expect([403, null], host).toContain(await tunnel(proxy.port, `${host}:${port}`, visit));
      proxy.leave(visit);
    }
    expect(heard()).toBe(before);
  });
});

test('the canary would hear: with nothing forbidden, spellings of loopback reach it', async () => {
  await withProxy(open, async (proxy) => {
    const visit = proxy.welcome(limits);
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '0177.1', 'loopback.test', '[::ffff:7f00:1]']) {
      const before = heard();
      expect(await tunnel(proxy.port, `${host}:${port}`, visit), host).toBe(200);
      expect(await get(proxy.port, `http://${host}:${port}/`, visit), host).toBe(200);
      expect(heard(), host).toBe(before + 2);
    }
  });
});

test('every spelling of an address is one target', () => {
  const loopback = [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.1',
    '127.1',
    '127。0。0。1',
    '①②⑦.⓪.⓪.①',
    '127.0.0.1.',
  ];
  expect(loopback.map((host) => readTarget(`${host}:81`))).toEqual(
    loopback.map(() => ({ host: '127.0.0.1', port: 81 })),
  );
});

test('a name whose second answer is private is looked up once, and the first answer connected to', async () => {
  let asked = 0;
  const turning: EgressRules = {
    ...rules,
    // Public as far as these rules go: the canary's own address; the second answer would be another one.
    isAddressAllowed: (address) => address === '127.0.0.1',
    resolve: async () => {
      asked += 1;
      return asked === 1 ? ['127.0.0.1'] : ['127.0.0.9'];
    },
  };
  await withProxy(turning, async (proxy) => {
    const visit = proxy.welcome(limits);
    expect(await tunnel(proxy.port, `turning.test:${port}`, visit)).toBe(200);
    expect(asked).toBe(1);
    const before = heard();
    expect(await tunnel(proxy.port, `turning.test:${port}`, visit)).toBe(403);
    expect(heard()).toBe(before);
  });
});

test('ports other than 80 and 443 are refused', async () => {
  await withProxy({ ...publicInternet, resolve: rules.resolve }, async (proxy) => {
    for (const refused of [0, 1, 22, 25, 81, 444, 3306, 5432, 6379, 8080, 8443, 65_535]) {
      const visit = proxy.welcome(limits);
      expect(await tunnel(proxy.port, `93.184.215.14:${refused}`, visit)).toBe(403);
      expect(visit.failureOf({ host: '93.184.215.14', port: refused })).toBe('port');
    }
  });
});

test('nobody is served without the credential of a visit that is going on', async () => {
  await withProxy(open, async (proxy) => {
    const before = heard();
    const visit = proxy.welcome(limits);
    const other = proxy.welcome(limits);
    const wrong = [
      undefined,
      { username: visit.username, password: '' },
      { username: visit.username, password: other.password },
      { username: '', password: visit.password },
      { username: 'admin', password: 'admin' },
    ];
    for (const credential of wrong) {
      expect(await tunnel(proxy.port, `127.0.0.1:${port}`, credential)).toBe(407);
      expect(await get(proxy.port, `http://127.0.0.1:${port}/`, credential)).toBe(407);
    }
    proxy.leave(visit);
    expect(await tunnel(proxy.port, `127.0.0.1:${port}`, visit)).toBe(407);
    expect(heard()).toBe(before);
  });
});

test('only http in absolute form is forwarded', async () => {
  await withProxy(open, async (proxy) => {
    const visit = proxy.welcome(limits);
    const before = heard();
    for (const address of [
      '/',
      '*',
      'file:///etc/passwd',
      `ftp://127.0.0.1:${port}/`,
      `gopher://127.0.0.1:${port}/_x`,
      `https://127.0.0.1:${port}/`,
      `ws://127.0.0.1:${port}/`,
      'javascript:1',
    ]) {
      expect(await get(proxy.port, address, visit), address).not.toBe(200);
    }
    expect(heard()).toBe(before);
  });
});

test('a visit that takes too much, in bytes or connections, is cut off', async () => {
  await withProxy(open, async (proxy) => {
    const small = proxy.welcome({ ...limits, connectionBytesMax: 5 });
    expect(await get(proxy.port, `http://127.0.0.1:${port}/`, small)).not.toBe(200);
    expect(small.cutOff).toBe('too_many_bytes');
    const few = proxy.welcome({ ...limits, connectionsMax: 2 });
    const statuses: (number | null)[] = [];
    for (let at = 0; at < 3; at += 1) statuses.push(await tunnel(proxy.port, `127.0.0.1:${port}`, few));
    expect(statuses).toEqual([200, 200, 403]);
    expect(few.cutOff).toBe('too_many_connections');
  });
});

test('public addresses next to the forbidden ranges are taken for what they are', () => {
  const neighbours = [
    ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '93.184.215.14', '100.63.255.255', '100.128.0.0'],
    ...['126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
    ...['192.0.1.0', '192.0.3.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0'],
    ...[
      '223.255.255.255',
      '2606:4700:4700::1111',
      '2a00:1450:4001::1',
      '2400:cb00::1',
      '2003::1',
      '2001:200::1',
    ],
  ];
  expect(neighbours.filter((address) => !isPublicAddress(address))).toEqual([]);
});

test('what the catalog refuses by its spelling would not be connected to either', () => {
  // Either side of every boundary that an IPv4 range has.
  const seconds = [0, 1, 15, 16, 17, 18, 19, 20, 31, 32, 51, 63, 64, 88, 127, 128, 168, 169, 253, 254, 255];
  const thirds = [0, 1, 2, 3, 99, 100, 113, 114];
  const four = Array.from({ length: 256 }, (_, first) =>
    seconds.flatMap((second) => thirds.map((third) => `${first}.${second}.${third}.7`)),
  ).flat();
  const six = Array.from({ length: 256 }, (_, at) => (at * 256).toString(16)).flatMap((first) =>
    ['0', '1', '200', 'db8', 'ffff'].map((second) => `${first}:${second}::7`),
  );
  const inAddress = (address: string) => `https://${address.includes(':') ? `[${address}]` : address}/`;
  const refused = [...four, ...six, '2001:2::7', '2001:db8::7', '2002:7f00:1::7', '3fff::7'].filter(
    (address) => !publicUrl.safeParse(inAddress(address)).success,
  );
  expect(refused.length).toBeGreaterThan(5_000);
  expect(refused.filter(isPublicAddress)).toEqual([]);
});
