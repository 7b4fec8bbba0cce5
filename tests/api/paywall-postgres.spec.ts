import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@/local/free-port';
import { payingFetch } from '../support/buyer';
import { newEvmPayer } from '../support/payers';
import { type NodeExample, openNodeExample } from '../support/paywall-example';
import { endPaywall, startPaywall } from '../support/paywall-package';
import { test as base, expect } from '../support/without-browser';

const test = base.extend<{ shop: NodeExample }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of fixtures from the pattern.
  shop: async ({}, use) => {
    const shop = await openNodeExample(test.info().outputPath('app'));
    await use(shop);
    await shop.drop();
  },
});

test('the example for Node sells to the official x402 client', async ({ shop }) => {
  const payer = await newEvmPayer();
  const { countWords } = await import(path.resolve('examples/node/words.mjs'));
  expect(await countWords('one two three')).toEqual({ words: 3 });
  const server = await startPaywall(shop.folder, shop.env);
  try {
    const answer = await payingFetch(payer, 'base')(`${shop.env.PUBLIC_URL}/words`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ text: 'one two three' }),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { words: 3 }]);
    expect(await shop.earned()).toBe(2_000n);
  } finally {
    await endPaywall(server);
  }
});

test('a call whose server is killed during delivery is delivered by the next server, and is paid once', async ({
  shop,
}) => {
  const payer = await newEvmPayer();
  const hanging = await startPaywall(shop.folder, { ...shop.env, HANGS: 'yes' });
  const send = await shop.request(payer);
  const lost = send().catch(() => null);
  await expect.poll(() => shop.lines('running'), { timeout: 20_000 }).toHaveLength(1);
  const [paidCallId] = await shop.lines('running');
  await endPaywall(hanging, 'SIGKILL');
  expect(await lost).toBeNull();

  const next = await startPaywall(shop.folder, shop.env);
  try {
    // Nobody has sent the request again.
    await expect.poll(() => shop.lines('delivered'), { timeout: 30_000 }).toEqual([paidCallId]);
    const answer = await send();
    expect([answer.status, await answer.json(), answer.headers.get('paid-call-id')]).toEqual([
      200,
      { words: 3 },
      paidCallId,
    ]);
    expect(await shop.earned()).toBe(2_000n);
  } finally {
    await endPaywall(next);
  }
});

test('a server that is killed at any moment of a payment charges nobody twice, and everybody gets an answer', async ({
  shop,
}) => {
  test.setTimeout(300_000);
  let paid = 0n;
  for (const delayMs of [5, 20, 40, 70, 110, 160, 240]) {
    const payer = await newEvmPayer();
    const killed = await startPaywall(shop.folder, shop.env);
    const send = await shop.request(payer);
    const first = send().catch(() => null);
    await sleep(delayMs);
    await endPaywall(killed, 'SIGKILL');
    await first;

    const next = await startPaywall(shop.folder, shop.env);
    try {
      const statuses: number[] = [];
      await expect
        .poll(
          async () => {
            const answer = await send();
            statuses.push(answer.status);
            return answer.status === 200 ? await answer.json() : answer.status;
          },
          { timeout: 40_000, message: `killed after ${delayMs} ms` },
        )
        .toEqual({ words: 3 });
      // Never a 402 for a payment that was charged: a client would pay again.
      paid += 2_000n;
      expect([delayMs, statuses.filter((status) => status === 402), await shop.earned()]).toEqual([
        delayMs,
        [],
        paid,
      ]);
    } finally {
      await endPaywall(next);
    }
  }
});

test('two servers on one database sell a call once to identical requests', async ({ shop }) => {
  const payer = await newEvmPayer();
  const port = String(await findFreePort());
  const servers = [
    await startPaywall(shop.folder, shop.env),
    await startPaywall(shop.folder, { ...shop.env, PORT: port }),
  ];
  try {
    const send = await shop.request(payer);
    const answers = await Promise.all([send(), send(port), send(), send(port)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map((answer) => answer.headers.get('paid-call-id'))).size).toBe(1);
    expect(await shop.earned()).toBe(2_000n);
    expect(await shop.lines('delivered')).toHaveLength(1);
  } finally {
    await Promise.all(servers.map((server) => endPaywall(server)));
  }
});
