import { createSocket, type Socket } from 'node:dgram';
import { publicInternet } from '@/lib/services/research/reader/egress/rules';
import type { ReadingPool } from '@/lib/services/research/reader/reading-pool';
import { someone } from '../support/clients';
import { expect, test } from '../support/without-browser';
import { type Canary, startCanary } from './canary';
import { type Site, startSite } from './pages-server';
import { asking, dataOf, forEvery, readerOf } from './reading';
import { names, targets } from './targets';
import { certain, everyVector, leads } from './vectors';

test.describe.configure({ mode: 'serial' });

let canary: Canary;
let datagrams: Socket;
let heardDatagrams = 0;
let site: Site;
let reader: ReadingPool;

/** The canary's address, in spellings that a browser accepts. */
const spellings = () => [
  ...['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost', 'inner.test'].map(
    (host) => `http://${host}:${canary.port}`,
  ),
];

function pageAt(path: string) {
  const [, kind, at, way] = path.split('/').map(decodeURIComponent);
  const origin = spellings()[Number(at)] ?? '';
  if (kind === 'vectors') {
    const places = { origin, udpPort: datagrams.address().port, tcpPort: canary.port };
    const headers = {
      Link: `<${origin}/script-link>; rel=preload; as=script`,
      'Content-Security-Policy-Report-Only': `default-src 'none'; report-uri ${origin}/report`,
      'Reporting-Endpoints': `default="${origin}/reporting"`,
      NEL: '{"report_to":"default","max_age":60}',
      'Alt-Svc': `h3=":${places.udpPort}"`,
    };
    return { headers, body: everyVector(places) };
  }
  if (kind === 'leads') return leads[way ?? '']?.(`${origin}/led`);
  if (kind === 'sw.js')
    return { headers: { 'Content-Type': 'text/javascript' }, body: `fetch("${spellings()[0]}/sw")` };
  return undefined;
}

test.beforeAll(async () => {
  canary = await startCanary();
  datagrams = createSocket('udp4', () => {
    heardDatagrams += 1;
  });
  await new Promise<void>((resolve) => datagrams.bind(0, '127.0.0.1', resolve));
  site = await startSite(pageAt);
  // The site may be reached; the canary at the same address may not.
  reader = readerOf([site.port], 2);
});
test.afterAll(async () => {
  await reader.close();
  await Promise.all([site.close(), canary.close()]);
  await new Promise<void>((resolve) => datagrams.close(() => resolve()));
});
const siteAt = (path: string) => `http://site.test:${site.port}${path}`;

test('a page that tries everything is read and reaches nothing, with any spelling of the target', async () => {
  await forEvery(spellings(), async (_, at) => {
    const data = dataOf(await reader.read(someone, asking(siteAt(`/vectors/${at}`))));
    expect(data.markdown).toContain('All of them.');
  });
  expect(canary.paths()).toEqual([]);
  expect(canary.connections()).toBe(0);
  expect(heardDatagrams).toBe(0);
});

test('the canary works: with its port allowed, the same page reaches it', async () => {
  const open = await startCanary();
  const elsewhere = await startSite((path) =>
    path === '/'
      ? { body: everyVector({ origin: `http://inner.test:${open.port}`, udpPort: 9, tcpPort: 9 }) }
      : undefined,
  );
  const lenient = readerOf([elsewhere.port, open.port]);
  try {
    dataOf(await lenient.read(someone, asking(`http://site.test:${elsewhere.port}/`)));
    expect(certain.filter((path) => !open.paths().includes(path))).toEqual([]);
  } finally {
    await lenient.close();
    await Promise.all([elsewhere.close(), open.close()]);
  }
});

test('no page leads the reader to an address that is not public', async () => {
  const before = canary.connections();
  const ways = Object.keys(leads).flatMap((way, at) => [
    { way, at: at % spellings().length },
    { way, at: (at + 3) % spellings().length },
  ]);
  await forEvery(ways, async ({ way, at }) => {
    const reading = await reader.read(someone, asking(siteAt(`/leads/${at}/${encodeURIComponent(way)}`)));
    expect(reading.kind, `${way} to ${spellings()[at]}`).toBe('not_public');
  });
  expect(canary.connections()).toBe(before);
});

test('forbidden addresses of every kind are refused when requested directly', async () => {
  const before = canary.connections();
  const hosts = Object.values(targets).flatMap((kind) => kind.slice(0, 2));
  // The product's own rules, applied to the canary's port, with an attacker's name server.
  const strict = readerOf([], 2, {
    isAddressAllowed: publicInternet.isAddressAllowed,
    resolve: async (name) => names[name] ?? [],
  });
  await forEvery(hosts, async (host) => {
    const reading = await strict.read(someone, asking(`http://${host}:${canary.port}/`));
    expect(['not_public', 'unreachable'], host).toContain(reading.kind);
  }).finally(() => strict.close());
  expect(canary.connections()).toBe(before);
});

test('only clean http and https URLs are opened', async () => {
  const addresses = [
    ...[
      'file:///etc/passwd',
      'file://localhost/etc/passwd',
      'FILE:///etc/passwd',
      'ftp://127.0.0.1/',
      'gopher://127.0.0.1/_x',
    ],
    ...[
      'data:text/html,<p>x',
      'javascript:1',
      'about:blank',
      'chrome://version',
      'view-source:http://site.test/',
    ],
    ...[
      'blob:http://site.test/x',
      'filesystem:http://site.test/x',
      'ws://127.0.0.1/',
      'dict://127.0.0.1:11211/stat',
    ],
    ...[
      `http://user@site.test:${site.port}/`,
      `http://s%69te.test:${site.port}/`,
      `http:\\\\site.test:${site.port}`,
      ` http://site.test:${site.port}/`,
      `http://si\u00adte.test:${site.port}/`,
    ],
  ];
  for (const address of addresses) {
    expect(await reader.read(someone, asking(address)), address).toEqual({ kind: 'not_public' });
  }
});
