import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { topUpGas } from '@/local/evm/funding';
import { createPaywall, evm, memoryStore, type Paywall } from '@/packages/paywall';
import { freeCases } from '@/packages/seller-check/free/cases';
import { UnpaidSeller } from '@/packages/seller-check/free/seller';
import { type CaseResult, runCases } from '@/packages/seller-check/run-cases';
import { aFile } from '../support/files';
import { network, stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';

const check = (url: string, method: string, body?: string) =>
  runCases(freeCases, new UnpaidSeller({ url: new URL(url), method, headers: [], body }, 3_000));

/** The rules that are broken, and those that could not be checked. */
const brokenBy = (results: readonly CaseResult[]) =>
  results.flatMap(({ id, finding }) =>
    finding.result === 'fail' || finding.result === 'error' ? [`${id}: ${finding.detail}`] : [],
  );

test('our calls keep every rule that needs no money, over x402', async () => {
  const results = await check(`${stack().apiUrl}/v1/uploads`, 'POST', aFile().body);
  expect(brokenBy(results)).toEqual([]);
});

test('our calls without a body keep every rule that needs no money', fullOnly, async () => {
  expect(brokenBy(await check(`${stack().apiUrl}/v1/flights/offers/off_1`, 'GET'))).toEqual([]);
});

test('our calls keep every rule that needs no money, over MPP', fullOnly, async () => {
  const results = await check(`${stack().apiUrl}/v1/mpp/uploads`, 'POST', aFile().body);
  expect(brokenBy(results)).toEqual([]);
});

/** A paywall in a bare Node server. */
async function withPaywall(use: (url: string) => Promise<void>): Promise<void> {
  let paywall: Paywall | undefined;
  const server = createServer((req, res) => paywall?.listener(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { rpcUrl, usdc } = network('base');
  const settlementKey = generatePrivateKey();
  await topUpGas(rpcUrl, privateKeyToAccount(settlementKey).address, 10n ** 18n);
  paywall = createPaywall({
    name: 'Word counter',
    publicUrl: url,
    secrets: [Buffer.alloc(32, 7).toString('base64')],
    store: memoryStore(),
    networks: [
      evm({
        network: 'base',
        rpcUrls: [rpcUrl],
        payTo: privateKeyToAccount(generatePrivateKey()).address,
        settlementKeys: [settlementKey],
        usdc,
      }),
    ],
  });
  paywall.sell({
    id: 'words.count',
    path: '/words',
    price: '0.002',
    title: 'Count words',
    summary: 'Count the words of a text.',
    input: z.strictObject({ text: z.string().max(10_000) }),
    output: z.strictObject({ words: z.number().int() }),
    example: { input: { text: 'Hello, world' }, output: { words: 2 } },
    run: async ({ text }) => ({ words: text.match(/\S+/g)?.length ?? 0 }),
  });
  await paywall.start();
  await use(url);
  await paywall.stop();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

for (const path of ['/words', '/mpp/words']) {
  test(`a paywall keeps every rule that needs no money, at ${path}`, fullOnly, async () => {
    await withPaywall(async (url) => {
      const results = await check(url + path, 'POST', JSON.stringify({ text: 'one two' }));
      expect(brokenBy(results)).toEqual([]);
    });
  });
}
