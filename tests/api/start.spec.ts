import { writeFileSync } from 'node:fs';
import { startServer } from '../support/server';
import { stack } from '../support/stack';
import { isStartedByNext } from '../support/started-by';
import { expect, test } from '../support/without-browser';

test.skip(isStartedByNext, 'the framework is there before our server is');

/** A page that only the framework makes. */
const page = '/operator';

test('a page that is requested as soon as a server listens is answered', async () => {
  const server = await startServer(stack().serverEnv);
  try {
    expect((await fetch(`${server.apiUrl}${page}`)).headers.get('content-type')).toContain('text/html');
  } finally {
    await server.stop();
  }
});

test('a server whose framework cannot be loaded answers calls at first, then says what is wrong and ends', async () => {
  const hook = test.info().outputPath('break.cjs');
  writeFileSync(
    hook,
    `const Module = require('node:module');
    const resolve = Module._resolveFilename;
    Module._resolveFilename = function (name, ...rest) {
      if (name === 'next') throw new Error('the framework is broken');
      return resolve.call(this, name, ...rest);
    };`,
  );
  const server = await startServer({ ...stack().serverEnv, NODE_OPTIONS: `--require=${hook}` });
  try {
    expect((await fetch(`${server.apiUrl}/v1/uploads`, { method: 'POST' })).status).toBe(402);
    await expect.poll(() => server.output(), { timeout: 30_000 }).toContain('the framework is broken');
    const isUp = () =>
      fetch(`${server.apiUrl}/health`).then(
        () => true,
        () => false,
      );
    await expect.poll(isUp).toBe(false);
  } finally {
    await server.kill();
  }
});
