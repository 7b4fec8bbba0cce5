import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { stack, stackFileVariable } from './stack';
import { expect, test } from './without-browser';

/** For a build on a slow machine that does other things too. */
const limitMs = 1_200_000;

test('the server that most tests share is up after the build', async () => {
  test.setTimeout(limitMs);
  while (!existsSync(process.env[stackFileVariable] ?? '')) await sleep(100);
  expect((await fetch(`${stack().apiUrl}/health`)).status).toBe(200);
});
