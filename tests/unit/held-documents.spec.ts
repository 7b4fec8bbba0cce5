import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FindDocument } from '@/lib/http/documents';
import { HeldDocuments } from '@/lib/http/server/held-documents';
import { expect, test } from '../support/without-browser';

/** A server with one document, which counts the requests for it. */
async function countingServer() {
  const counts = { loaded: 0, found: 0, made: 0 };
  let fails = false;
  const find: FindDocument = async ({ path, prefers }) => {
    counts.found += 1;
    if (path !== '/document') return null;
    const make = () => {
      counts.made += 1;
      if (fails) throw new Error('cannot be made');
      return prefers;
    };
    const key = prefers === 'markdown' ? 'markdown' : 'html';
    return { key, mediaType: 'text/plain', make, headers: {} };
  };
  const held = new HeldDocuments(async () => {
    counts.loaded += 1;
    return find;
  });
  const server = createServer(async (req, res) => {
    const isServed = await held.serve(req, res, (req.url ?? '').split('?')[0] ?? '').catch(() => false);
    if (!isServed) res.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    counts,
    fail(value: boolean) {
      fails = value;
    },
    get: async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
      return response.status === 200 ? response.text() : null;
    },
    stop: () => server.close(),
  };
}

test('a document is made once, however many ask for it at once and in whatever words', async () => {
  const { counts, get, stop } = await countingServer();
  const accepts = ['*/*', 'text/html', 'text/html;q=0.1', 'text/plain', 'x'.repeat(1_000)];
  const texts = await Promise.all(
    Array.from({ length: 50 }, (_, at) => get(`/document?${at}`, { Accept: accepts[at % 5] ?? '' })),
  );
  expect(new Set(texts).size).toBe(1);
  expect(counts).toMatchObject({ loaded: 1, made: 1 });
  const { found } = counts;
  for (const accept of accepts) await get('/document', { Accept: accept, 'Accept-Encoding': 'identity' });
  expect(counts.found, 'held').toBe(found);
  expect(await get('/document', { Accept: 'text/markdown' })).toBe('markdown');
  expect(counts.made).toBe(2);
  stop();
});

test('a path without a document is looked up each time', async () => {
  const { counts, get, stop } = await countingServer();
  for (let time = 1; time <= 3; time += 1) {
    expect(await get('/nothing')).toBe(null);
    expect(counts).toEqual({ loaded: 1, found: time, made: 0 });
  }
  stop();
});

test('a document that could not be made is tried again', async () => {
  const { fail, get, stop } = await countingServer();
  fail(true);
  expect(await get('/document')).toBe(null);
  fail(false);
  expect(await get('/document')).toBe('other');
  stop();
});
