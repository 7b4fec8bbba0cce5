import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PrivateKeyAccount } from 'viem/accounts';
import { findFreePort } from '@/local/free-port';
import { balanceOf } from '../support/balances';
import { envelopeFor, payingFetch, paymentHeader } from '../support/buyer';
import { emptyDatabase, type NewDatabase } from '../support/new-database';
import { newEvmPayer } from '../support/payers';
import {
  endPaywall,
  installPaywall,
  othersOf,
  paywallSettings,
  startPaywall,
} from '../support/paywall-package';
import { test as base, expect } from '../support/without-browser';

/** In place of the example's `words.mjs`. With HANGS, it says that it runs and never ends. It writes down what it has delivered. */
const words = `
import { appendFileSync } from 'node:fs';
export async function countWords(text, paidCallId) {
  if (process.env.HANGS) {
    appendFileSync('running', paidCallId + '\\n');
    await new Promise(() => undefined);
  }
  appendFileSync('delivered', paidCallId + '\\n');
  return { words: text.match(/\\S+/g)?.length ?? 0 };
}
`;

interface Shop {
  readonly folder: string;
  readonly env: Record<string, string>;
  earned(): Promise<bigint>;
  /** A request that pays, for the test to send as often as it likes. */
  request(payer: PrivateKeyAccount): Promise<(port?: string) => Promise<Response>>;
  /** The lines that the program has written to one of its files. */
  lines(name: 'running' | 'delivered'): Promise<string[]>;
}

const test = base.extend<{ shop: Shop }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of fixtures from the pattern.
  shop: async ({}, use) => {
    const folder = test.info().outputPath('app');
    await cp('examples/node', folder, { recursive: true });
    const { dependencies } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    await installPaywall(folder, othersOf(dependencies));
    await writeFile(path.join(folder, 'words.mjs'), words);
    const database: NewDatabase = await emptyDatabase();
    const { payee, env } = await paywallSettings();
    const port = new URL(env.PUBLIC_URL ?? '').port;
    await use({
      folder,
      env: { ...env, PORT: port, DATABASE_URL: database.url },
      earned: () => balanceOf(payee, 'base'),
      async request(payer) {
        const url = `${env.PUBLIC_URL}/words`;
        const headers = {
          'Content-Type': 'application/json',
          ...paymentHeader(await envelopeFor(url, payer, 'base')),
        };
        const body = JSON.stringify({ text: 'one two three' });
        return (other = port) => fetch(`http://127.0.0.1:${other}/words`, { method: 'POST', headers, body });
      },
      lines: async (name) =>
        (await readFile(path.join(folder, name), 'utf8').catch(() => '')).split('\n').filter(Boolean),
    });
    await database.drop();
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
