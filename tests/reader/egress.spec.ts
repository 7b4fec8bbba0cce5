import { readTarget } from '@/lib/platform/addresses/target';
import { EgressProxy } from '@/lib/services/research/reader/egress/proxy';
import { type EgressRules, publicInternet } from '@/lib/services/research/reader/egress/rules';
import type { VisitLimits } from '@/lib/services/research/reader/egress/visit';
import { expect, test } from '../support/without-browser';
import { type Canary, startCanary, startRawServer } from './canary';
import { get, tunnel } from './proxy-client';
import { malformed, names, targets } from './targets';

const limits: VisitLimits = { bytesMax: 1_000_000, connectionBytesMax: 500_000, connectionsMax: 10_000 };
/** The product's rules, applied to the canary's port, with an attacker's name server. */
const rules: EgressRules = {
  ...publicInternet,
  isPortAllowed: () => true,
  resolve: async (name) => names[name] ?? [],
};
/** Rules with which the proxy lets every request through. */
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

test('the table has every row', () => {
  expect(Object.values(targets).flat().length + malformed.length).toBeGreaterThanOrEqual(200);
});

for (const [kind, hosts] of Object.entries(targets)) {
  test(`${kind}: nothing is connected to, by CONNECT or in absolute form`, async () => {
    await withProxy(rules, async (proxy) => {
      const before = heard();
      const reached: unknown[] = [];
      for (const host of hosts) {
        for (const ask of [
          (authority: string, by: Parameters<typeof tunnel>[2]) => tunnel(proxy.port, authority, by),
          (authority: string, by: Parameters<typeof tunnel>[2]) =>
            get(proxy.port, `http://${authority}/`, by),
        ]) {
          const visit = proxy.openVisit(limits);
          const status = await ask(`${host}:${port}`, visit);
          if (status !== 403 && status !== null) reached.push({ host, status });
          const target = readTarget(`${host}:${port}`);
          // Node's parser accepts no characters beyond Latin-1 in a request; the rules check the address anyway.
          const isAscii = /^[\x21-\x7e]*$/.test(host);
          const failure = target && isAscii ? visit.failureOf(target) : 'not_public';
          if (failure !== 'not_public') reached.push({ host, failure });
          proxy.closeVisit(visit);
        }
      }
      expect(reached).toEqual([]);
      expect(heard()).toBe(before);
    });
  });
}

test('an invalid host is not connected to', async () => {
  await withProxy(open, async (proxy) => {
    const before = heard();
    for (const host of malformed) {
      const visit = proxy.openVisit(limits);
      expect([403, null], host).toContain(await tunnel(proxy.port, `${host}:${port}`, visit));
      proxy.closeVisit(visit);
    }
    expect(heard()).toBe(before);
  });
});

test('the canary works: with nothing forbidden, spellings of loopback reach it', async () => {
  await withProxy(open, async (proxy) => {
    const visit = proxy.openVisit(limits);
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.1',
      'loopback.example.net',
      '[::ffff:7f00:1]',
    ]) {
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

test('a name that changes to a private address is resolved once, and the first result is used', async () => {
  let asked = 0;
  const turning: EgressRules = {
    ...rules,
    // These rules treat the canary's own address as public; the second lookup would return another address.
    isAddressAllowed: (address) => address === '127.0.0.1',
    resolve: async () => {
      asked += 1;
      return asked === 1 ? ['127.0.0.1'] : ['127.0.0.9'];
    },
  };
  await withProxy(turning, async (proxy) => {
    const visit = proxy.openVisit(limits);
    expect(await tunnel(proxy.port, `turning.example.net:${port}`, visit)).toBe(200);
    expect(asked).toBe(1);
    const before = heard();
    expect(await tunnel(proxy.port, `turning.example.net:${port}`, visit)).toBe(403);
    expect(heard()).toBe(before);
  });
});

test('ports other than 80 and 443 are refused', async () => {
  await withProxy({ ...publicInternet, resolve: rules.resolve }, async (proxy) => {
    for (const refused of [0, 1, 22, 25, 81, 444, 3306, 5432, 6379, 8080, 8443, 65_535]) {
      const visit = proxy.openVisit(limits);
      expect(await tunnel(proxy.port, `93.184.215.14:${refused}`, visit)).toBe(403);
      expect(visit.failureOf({ host: '93.184.215.14', port: refused })).toBe('port');
    }
  });
});

test('the proxy serves only requests with the credential of an open visit', async () => {
  await withProxy(open, async (proxy) => {
    const before = heard();
    const visit = proxy.openVisit(limits);
    const other = proxy.openVisit(limits);
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
    proxy.closeVisit(visit);
    expect(await tunnel(proxy.port, `127.0.0.1:${port}`, visit)).toBe(407);
    expect(heard()).toBe(before);
  });
});

test('only http in absolute form is forwarded', async () => {
  await withProxy(open, async (proxy) => {
    const visit = proxy.openVisit(limits);
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
    const small = proxy.openVisit({ ...limits, connectionBytesMax: 5 });
    expect(await get(proxy.port, `http://127.0.0.1:${port}/`, small)).not.toBe(200);
    expect(small.cutOff).toBe('too_many_bytes');
    const few = proxy.openVisit({ ...limits, connectionsMax: 2 });
    const statuses: (number | null)[] = [];
    for (let at = 0; at < 3; at += 1) statuses.push(await tunnel(proxy.port, `127.0.0.1:${port}`, few));
    expect(statuses).toEqual([200, 200, 403]);
    expect(few.cutOff).toBe('too_many_connections');
  });
});

test('a response with a status or a header that cannot be passed on fails alone, and the next request succeeds', async () => {
  const end = 'Content-Length: 2\r\n\r\nok';
  const refused = Object.fromEntries(
    ['000', '050', '099', '101'].map((status) => [`/${status}`, `HTTP/1.1 ${status} OK\r\n${end}`]),
  );
  const server = await startRawServer({
    ...refused,
    '/control': `HTTP/1.1 200 OK\r\nX-Name: a\x7fb\r\n${end}`,
    '/200': `HTTP/1.1 200 OK\r\n${end}`,
    '/999': `HTTP/1.1 999 OK\r\n${end}`,
  });
  try {
    await withProxy(open, async (proxy) => {
      const visit = proxy.openVisit(limits);
      const ask = (path: string) => get(proxy.port, `http://127.0.0.1:${server.port}${path}`, visit);
      for (const path of [...Object.keys(refused), '/control']) {
        expect(await ask(path), path).toBeNull();
        expect(await ask('/200'), `after ${path}`).toBe(200);
      }
      expect(await ask('/999')).toBe(999);
    });
  } finally {
    await server.close();
  }
});
