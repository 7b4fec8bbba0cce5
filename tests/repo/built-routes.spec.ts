import { statSync } from 'node:fs';
import { tracedFiles, tracesOf } from '../support/build';
import { expect, test } from '../support/without-browser';
import { read } from './sources';

/** What the build of the routes takes with it to hosts that run only routes. */

/** What never runs in production. */
const developmentOnly = /^(local|tests|tools)\//;

/** The size that a serverless host allows for a function, less what it adds itself. */
const functionBytesMax = 225 * 1024 * 1024;

test('every route and what it needs fit into a function', () => {
  // Every function starts the app.
  const app = tracesOf('instrumentation.js.nft.json').flatMap(tracedFiles);
  const sizes = tracesOf('/route.js.nft.json').map((trace) => {
    const files = new Set([...app, ...tracedFiles(trace)]);
    const bytes = [...files].reduce((sum, one) => sum + statSync(one).size, 0);
    return { route: /app\/(.*)\/route\.js/.exec(trace)?.[1] ?? '', bytes, files: [...files] };
  });
  expect(sizes.filter(({ bytes }) => bytes > functionBytesMax)).toEqual([]);
  const rendering = sizes.filter(({ files }) => files.some((file) => file.endsWith('/chromium.br')));
  const routes = rendering.map(({ route }) => route).sort();
  expect(routes).toEqual([
    'internal/cron',
    'v1/account/crawl/scrape',
    'v1/account/neural/contents',
    'v1/account/render/pdf',
    'v1/crawl/scrape',
    'v1/mpp/crawl/scrape',
    'v1/mpp/neural/contents',
    'v1/neural/contents',
    'v1/render/pdf',
  ]);
  // Vercel puts routes with the same settings into one function. No other route should start as slowly as these.
  const { functions } = JSON.parse(read('deploy/vercel.json')) as { functions: object };
  const named = Object.keys(functions).filter((pattern) => !pattern.endsWith('/**'));
  expect(named.sort()).toEqual(routes.map((route) => `app/${route}/route.ts`));
});

test('routes that read pages take the code with them that runs in a page', () => {
  const traces = tracesOf('/crawl/scrape/route.js.nft.json');
  expect(traces).toHaveLength(3);
  for (const trace of traces)
    expect(tracedFiles(trace), trace).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/dist\/in-page\/page\.js$/),
        expect.stringMatching(/dist\/in-page\/pdf\.js$/),
      ]),
    );
});

test('files traced for route-only hosts include nothing from the development stack', () => {
  const traces = tracesOf('.nft.json');
  expect(traces.length).toBeGreaterThan(30);
  const files = traces.flatMap(tracedFiles);
  expect([...new Set(files)].filter((file) => developmentOnly.test(file))).toEqual([]);
});
