import { paying } from '@/lib/platform/owners';
import type { ReadingPool } from '@/lib/services/research/reader/reading-pool';
import { browserProcesses } from '../render/browser-processes';
import { someone } from '../support/clients';
import { expect, test } from '../support/without-browser';
import { goodPages } from './good-pages';
import { type ServedPage, type Site, startSite } from './pages-server';
import { asking, dataOf, readerOf } from './reading';

test.describe.configure({ mode: 'serial' });

/** Pages that cannot be read, and one that never ends. */
const badPages: Readonly<Record<string, ServedPage>> = {
  '/file.zip': { headers: { 'Content-Type': 'application/zip' }, body: 'PK' },
  '/file.bin': { headers: { 'Content-Type': 'application/octet-stream' }, body: Buffer.alloc(100) },
  '/picture.png': { headers: { 'Content-Type': 'image/png' }, body: Buffer.from('89504e470d0a1a0a', 'hex') },
  '/attached': { headers: { 'Content-Disposition': 'attachment; filename="x.html"' }, body: '<p>x' },
  '/round/and/round': { status: 302, headers: { Location: '/round/and/round' } },
  '/hung/up': { answer: (_, response) => response.destroy() },
  '/silent': { answer: () => undefined },
  '/long/links': {
    body: `<p>Links</p><a href="/short">short</a><script>
      const add = (href) => document.body.append(Object.assign(document.createElement('a'), { href }));
      for (let n = 0; n < 100; n += 1) add('/' + n + 'x'.repeat(30_000));
      for (let n = 0; n < 1_000; n += 1) add('/' + n + 'y'.repeat(4_000));
    </script>`,
  },
  '/long/lines': {
    headers: { 'Content-Type': `text/plain; note=${'z'.repeat(10_000)}` },
    body: 'Short text',
  },
  '/backticks': { headers: { 'Content-Type': 'application/json' }, body: '"`a`"'.repeat(200_000) },
  '/paragraphs': { headers: { 'Content-Type': 'text/plain' }, body: 'a\n\n'.repeat(33_000) },
  '/structured': {
    body: `<title>S</title><h1>Towers</h1><p>Read</p><script type="application/ld+json">not JSON</script>
      <script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"WebSite"},{"@type":"Article",
      "datePublished":"2026-01-02T03:04:05Z","dateModified":"2026-02-03","author":[{"@type":"Person","name":"Ada North"},{"name":"Bo West"}]}]}</script>`,
  },
  '/console': {
    body: `<title>C</title><p>Read</p><script>
      const write = () => { for (let n = 0; n < 5; n += 1) console.log('x'.repeat(2_000_000)); };
      new Worker(URL.createObjectURL(new Blob(['(' + write + ')()'])));
      write();
    </script>`,
  },
  '/long/addresses': {
    body: `<title>A</title><p>Read</p><script>
      const address = 'data:,' + 'x'.repeat(5_000_000);
      const ask = () => fetch(address).catch(() => 0).then(ask);
      ask();
    </script>`,
  },
  '/endless/script': { body: '<title>E</title><script>for (;;);</script>' },
  '/endless/body': {
    answer(_, response) {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      const chunk = 'x'.repeat(1 << 20);
      const more = () => {
        if (!response.destroyed) response.write(chunk, () => setImmediate(more));
      };
      more();
    },
  },
  '/never/finished': {
    answer(_, response) {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.write('<title>Slow</title><main><p>What is there is read.</p></main>');
    },
  },
};

/** JSON-LD of the page `/structured/anew`. */
let structured = '';
let site: Site;
let reader: ReadingPool;

test.beforeAll(async () => {
  site = await startSite((path) =>
    path === '/structured/anew'
      ? { body: `<title>S</title><p>Read</p><script type="application/ld+json">${structured}</script>` }
      : (goodPages[path] ?? badPages[path]),
  );
  reader = readerOf([site.port]);
});
test.afterAll(async () => {
  await reader.close();
  await site.close();
});
const origin = () => `http://site.test:${site.port}`;
const filled = (text: string) => text.replaceAll('{site}', origin());

for (const [path, { has = [], hasNot = [], links = [], metadata = {} }] of Object.entries(goodPages)) {
  test(`${path} is read as it should be`, async () => {
    const data = dataOf(await reader.read(someone, asking(`${origin()}${path}`)));
    for (const words of has) expect(data.markdown).toContain(filled(words));
    for (const words of hasNot) expect(data.markdown).not.toContain(words);
    for (const link of links) expect(data.links).toContain(`${origin()}${link}`);
    for (const [name, value] of Object.entries(metadata)) {
      expect(data.metadata[name], name).toBe(typeof value === 'string' ? filled(value) : value);
    }
  });
}

test('only the requested formats are returned, and the summary consists of sentences of the page', async () => {
  const data = dataOf(await reader.read(someone, asking(`${origin()}/article/en`, { formats: ['summary'] })));
  expect(Object.keys(data).sort()).toEqual(['metadata', 'summary']);
  expect(data.summary).toBe(
    'The tower on the northern cape was built of granite and has been lit every night since.',
  );
});

test('without onlyMainContent the whole page is returned', async () => {
  const data = dataOf(
    await reader.read(someone, asking(`${origin()}/article/en`, { onlyMainContent: false })),
  );
  expect(data.markdown).toContain('menu menu');
  expect(data.markdown).toContain('small print');
});

for (const [path, kind] of Object.entries({
  '/file.zip': 'unsupported',
  '/file.bin': 'unsupported',
  '/picture.png': 'unsupported',
  '/attached': 'unsupported',
  '/round/and/round': 'unreachable',
  '/hung/up': 'unreachable',
  '/endless/body': 'too_large',
})) {
  test(`${path} is ${kind}`, async () => {
    expect(await reader.read(someone, asking(`${origin()}${path}`))).toEqual({ kind });
  });
}

test('a name that does not resolve, and a port where nobody listens, are unreachable', async () => {
  expect(await reader.read(someone, asking('http://nowhere.example.com/'))).toEqual({
    kind: 'unreachable',
  });
  const closed = await startSite(() => undefined);
  await closed.close();
  const deaf = readerOf([closed.port]);
  expect(await deaf.read(someone, asking(`http://site.test:${closed.port}/`))).toEqual({
    kind: 'unreachable',
  });
  await deaf.close();
});

test('a page that sends nothing in time is unreachable; one that sends half is read with a warning', async () => {
  expect(await reader.read(someone, asking(`${origin()}/silent`, { timeout: 1_500 }))).toEqual({
    kind: 'unreachable',
  });
  const data = dataOf(await reader.read(someone, asking(`${origin()}/never/finished`, { timeout: 3_000 })));
  expect(data.markdown).toContain('What is there is read.');
  expect(data.warning).toContain('still loading');
});

test('a page that blocks its browser is ended with it, and the next page is read', async () => {
  const reading = await reader.read(someone, asking(`${origin()}/endless/script`, { timeout: 2_000 }));
  expect(reading.kind).toBe('failed');
  dataOf(await reader.read(someone, asking(`${origin()}/a/table`)));
});

test('a page leaves no cookie, storage or cache for the next one', async () => {
  const seen: (string | undefined)[] = [];
  const own = await startSite(() => ({
    answer(request, response) {
      if (request.url === '/') seen.push(request.headers.cookie);
      const headers = {
        'Content-Type': 'text/html',
        'Set-Cookie': 'a=1; Path=/',
        'Cache-Control': 'max-age=9999',
      };
      response.writeHead(200, headers);
      response.end(
        '<p id="p"></p><script>p.textContent = "had " + localStorage.length; localStorage.b = 1</script>',
      );
    },
  }));
  const fresh = readerOf([own.port]);
  for (let at = 0; at < 2; at += 1) {
    const { markdown } = dataOf(await fresh.read(someone, asking(`http://site.test:${own.port}/`)));
    expect(markdown).toBe('had 0');
  }
  expect(seen).toEqual([undefined, undefined]);
  await fresh.close();
  await own.close();
});

test('links that are too long are left out, and all together are no longer than a text may be', async () => {
  const { links = [] } = dataOf(
    await reader.read(someone, asking(`${origin()}/long/links`, { formats: ['links'] })),
  );
  expect(links[0]).toBe(`${origin()}/short`);
  expect(links.filter((link) => link.length > 4_096)).toEqual([]);
  const total = links.reduce((sum, link) => sum + link.length, 0);
  expect(total).toBeLessThanOrEqual(1_000_000);
  expect(total).toBeGreaterThan(990_000);
});

test("a page's address and content type are cut where they are too long", async () => {
  const url = `${origin()}/long/lines?${'q'.repeat(10_000)}`;
  const { markdown, metadata } = dataOf(await reader.read(someone, asking(url)));
  expect(markdown).toBe('Short text');
  expect(String(metadata.contentType)).toHaveLength(4_096);
  expect(String(metadata.url)).toHaveLength(4_096);
});

test('JSON with hundreds of thousands of backticks is read', async () => {
  const { markdown } = dataOf(await reader.read(someone, asking(`${origin()}/backticks`)));
  expect(markdown?.slice(0, 15)).toBe('```json\n"`a`""`');
});

test('a page’s JSON-LD says who wrote it and when where its meta elements do not', async () => {
  const { metadata } = dataOf(await reader.read(someone, asking(`${origin()}/structured`)));
  expect(metadata).toMatchObject({
    author: 'Ada North, Bo West',
    publishedTime: '2026-01-02T03:04:05Z',
    modifiedTime: '2026-02-03',
  });
});

for (const [about, data] of Object.entries({
  'refers to a person of its graph':
    '{"@graph":[{"@type":"WebPage","dateModified":"2026-02-03","author":{"@id":"#a"}},{"@type":["NewsArticle"],"datePublished":"2026-01-02","author":{"@id":"#a"}},{"@type":"Person","@id":"#a","name":"Ada North"}]}',
  'nests the work in its page':
    '{"@type":"WebPage","datePublished":"2020-01-01","mainEntity":{"@type":"BlogPosting","datePublished":"2026-01-02","dateModified":"2026-02-03","author":["Ada North"]}}',
  'stands in a comment and names a creator':
    '<!-- [{"@type":"WebSite","name":"S"},{"@type":"Report","datePublished":"2026-01-02","dateModified":"2026-02-03","creator":{"name":["Ada North","A. N."]}}] -->',
})) {
  test(`author and dates are read from JSON-LD that ${about}`, async () => {
    structured = data;
    const { metadata } = dataOf(await reader.read(someone, asking(`${origin()}/structured/anew`)));
    expect(metadata).toMatchObject({
      author: 'Ada North',
      publishedTime: '2026-01-02',
      modifiedTime: '2026-02-03',
    });
  });
}

test('a page’s console output does not reach the process that reads it', async () => {
  dataOf(await reader.read(someone, asking(`${origin()}/a/table`)));
  const { parse } = JSON;
  let longest = 0;
  // Each message from the browser is parsed with this.
  JSON.parse = (text, reviver) => {
    longest = Math.max(longest, text.length);
    return parse(text, reviver);
  };
  try {
    const { markdown } = dataOf(await reader.read(someone, asking(`${origin()}/console`, { waitFor: 500 })));
    expect(markdown).toContain('Read');
  } finally {
    JSON.parse = parse;
  }
  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThan(100_000);
});

test('a page that asks for endless long addresses is ended before the process that reads it is full', async () => {
  const { parse } = JSON;
  let bytes = 0;
  JSON.parse = (text, reviver) => {
    bytes += text.length;
    return parse(text, reviver);
  };
  try {
    const waiting = asking(`${origin()}/long/addresses`, { waitFor: 20_000 });
    expect(await reader.read(someone, waiting)).toEqual({ kind: 'too_large' });
  } finally {
    JSON.parse = parse;
  }
  expect(bytes).toBeGreaterThan(10_000_000);
  expect(bytes).toBeLessThan(100_000_000);
});

test('a text of tens of thousands of paragraphs is summarized from the first of them', async () => {
  const made: unknown[] = [];
  const { Segmenter } = Intl;
  const counting = class extends Segmenter {
    constructor(...options: ConstructorParameters<typeof Segmenter>) {
      super(...options);
      made.push(this);
    }
  };
  Object.assign(Intl, { Segmenter: counting });
  try {
    const { summary } = dataOf(
      await reader.read(someone, asking(`${origin()}/paragraphs`, { formats: ['summary'] })),
    );
    expect(summary?.length).toBeGreaterThan(0);
    expect(summary?.length).toBeLessThan(1_000);
  } finally {
    Object.assign(Intl, { Segmenter });
  }
  // Each segmenter takes 0.1 ms and 10 KB.
  expect(made.length).toBeLessThan(10);
});

test('a closed reader leaves no browser', async () => {
  test.skip(process.platform !== 'linux', 'processes are read from /proc');
  await reader.close();
  expect(await browserProcesses()).toEqual({ running: [], zombies: [], memory: 0 });
});

test('endless pages of one payer do not delay those of another', async () => {
  const shared = readerOf([site.port], 2);
  try {
    dataOf(await shared.read(someone, asking(`${origin()}/a/table`)));
    const greedy = paying({ payer: 'greedy', onlyOn: null });
    const endless = [1, 2, 3, 4].map(() => shared.read(greedy, asking(`${origin()}/endless/script`)));
    dataOf(await shared.read(someone, asking(`${origin()}/a/table`)));
    expect(await Promise.race(endless)).toEqual({ kind: 'busy' });
  } finally {
    await shared.close();
  }
});
