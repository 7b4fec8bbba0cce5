import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { build } from 'esbuild';
import { evm, type Paywall } from '@/packages/paywall';
import { solana } from '@/packages/paywall/solana';
import { balanceOf } from '../support/balances';
import { payingFetch, type Wallet } from '../support/buyer';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { openNodeExample } from '../support/paywall-example';
import { endPaywall, installPaywall, paywallKeys, startPaywall } from '../support/paywall-package';
import { sale, withShop } from '../support/paywall-shop';
import { network } from '../support/stack';
import { expect, test } from '../support/without-browser';

const on = 'solana-mainnet';
const sells = (paywall: Paywall) => paywall.sell(sale);
const input = { text: 'one two' };

test('the official x402 client buys from a paywall on Solana', () =>
  withShop(
    sells,
    async (shop) => {
      const payer = await newSolanaPayer();
      const answer = await payingFetch(payer, on)(`${shop.url}/words`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(input),
      });
      expect([answer.status, await answer.json()]).toEqual([200, { words: 2 }]);
      const receipt = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '');
      expect(receipt).toMatchObject({ success: true, payer: payer.address, network: network(on).caip2 });
      expect(await shop.earned()).toBe(2_000n);
    },
    { on },
  ));

test('the same payment on Solana gets the stored answer of a paywall again, also at once', () =>
  withShop(
    sells,
    async (shop) => {
      const send = await shop.signed('/words', input);
      const answers = [...(await Promise.all([send(), send(), send()])), await send()];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set(answers.map((answer) => answer.headers.get('paid-call-id'))).size).toBe(1);
      expect((await send({ text: 'other' })).status).toBe(409);
      expect(await shop.earned()).toBe(2_000n);
    },
    { on },
  ));

test('a paywall on Solana alone sells nothing over MPP, and says so when it is declared', () =>
  withShop(
    (paywall) => {
      paywall.sell(sale);
      expect(() => paywall.sell({ ...sale, id: 'other', path: '/other', mppPath: '/mpp/other' })).toThrow(
        'mppPath needs an EVM network',
      );
    },
    async (shop) => {
      expect((await fetch(`${shop.url}/mpp/words`, { method: 'POST' })).status).toBe(404);
      const { paths } = await (await fetch(`${shop.url}/openapi.json`)).json();
      expect(Object.keys(paths)).toEqual(['/words']);
    },
    { on },
  ));

test('a paywall on Base and Solana takes payments on both', async () => {
  const [evmKeys, solanaKeys] = [await paywallKeys('base'), await paywallKeys(on)];
  const terms = (name: 'base' | typeof on) => ({ rpcUrls: [network(name).rpcUrl], usdc: network(name).usdc });
  const networks = [
    evm({
      ...{ ...terms('base'), network: 'base', payTo: evmKeys.payee.address },
      settlementKeys: [evmKeys.settlementKey],
    }),
    solana({
      ...{ ...terms(on), network: on, payTo: solanaKeys.payee.address },
      settlementKey: solanaKeys.settlementKey,
    }),
  ];
  await withShop(
    sells,
    async ({ url }) => {
      const buy = async (wallet: Wallet, name: 'base' | typeof on) =>
        payingFetch(wallet, name)(`${url}/words`, { method: 'POST', body: JSON.stringify(input) });
      expect((await buy(await newEvmPayer(), 'base')).status).toBe(200);
      expect((await buy(await newSolanaPayer(), on)).status).toBe(200);
      expect(await balanceOf(evmKeys.payee, 'base')).toBe(2_000n);
      expect(await balanceOf(solanaKeys.payee, on)).toBe(2_000n);
    },
    { networks },
  );
});

test('malformed options of a paywall on Solana are refused by name', () => {
  const options = {
    network: 'solana-devnet',
    rpcUrls: ['http://127.0.0.1:1'],
    payTo: 'nobody',
    settlementKey: '',
  } as const;
  expect(() => solana(options)).toThrow(/payTo[\s\S]*settlementKey|settlementKey[\s\S]*payTo/);
});

test('a call that is paid on Solana and whose server is killed is delivered by the next server, and paid once', async () => {
  const shop = await openNodeExample(test.info().outputPath('app'), on);
  try {
    const hanging = await startPaywall(shop.folder, { ...shop.env, HANGS: 'yes' });
    const send = await shop.request(await newSolanaPayer());
    const lost = send().catch(() => null);
    await expect.poll(() => shop.lines('running'), { timeout: 20_000 }).toHaveLength(1);
    await endPaywall(hanging, 'SIGKILL');
    expect(await lost).toBeNull();
    const next = await startPaywall(shop.folder, shop.env);
    try {
      await expect
        .poll(() => shop.lines('delivered'), { timeout: 30_000 })
        .toEqual(await shop.lines('running'));
      const answer = await send();
      expect([answer.status, await answer.json(), await shop.earned()]).toEqual([200, { words: 3 }, 2_000n]);
    } finally {
      await endPaywall(next);
    }
  } finally {
    await shop.drop();
  }
});

test('an app without Solana imports no package for it', async () => {
  const folder = test.info().outputPath('app');
  await installPaywall(folder, []);
  const module = path.join(folder, 'node_modules/tuppence-paywall');
  const importsOf = async (entry: string) => {
    const { metafile } = await build({
      entryPoints: [path.join(module, 'dist', `${entry}.js`)],
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      write: false,
      metafile: true,
    });
    const imports = Object.values(metafile.inputs).flatMap((module) => module.imports);
    return imports.flatMap(({ path: name, external }) => (external ? [name] : []));
  };
  const isOfSolana = (name: string) => /solana|svm/.test(name);
  for (const entry of ['index', 'postgres']) {
    const imports = await importsOf(entry);
    expect(imports).toContain('zod');
    expect(imports.filter(isOfSolana)).toEqual([]);
  }
  expect((await importsOf('solana')).filter(isOfSolana)).toContain('@solana/web3.js');
  const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    await readFile(path.join(module, 'package.json'), 'utf8'),
  );
  expect(Object.keys(dependencies).filter(isOfSolana)).toEqual([]);
  const peers = Object.keys(peerDependencies).filter(isOfSolana);
  expect(peers).toEqual(['@solana/kit', '@solana/web3.js', '@x402/svm']);
  expect(peers.filter((name) => peerDependenciesMeta[name]?.optional !== true)).toEqual([]);
});
