import { expect, test } from '@playwright/test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { readUsdc } from '@/local/balances';
import { topUpUsdc } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { runTour } from '@/local/tour';
import { newSolanaWallet } from '../recovery/rig/own-solana';
import { sql } from '../support/database';
import { evmNetworkNames, network, stack } from '../support/stack';

async function newTourWallets() {
  const privateKey = generatePrivateKey();
  const { address } = privateKeyToAccount(privateKey);
  const solana = newSolanaWallet();
  await Promise.all([
    ...evmNetworkNames.map((name) => {
      const { rpcUrl, usdc } = network(name);
      return topUpUsdc(rpcUrl, usdc as `0x${string}`, [address], 1_000_000n, 1_000_000n);
    }),
    rpcCall(network('solana-mainnet').rpcUrl, 'tuppence_setTokenBalance', [solana.address, '1000000']),
  ]);
  return { evm: { address, privateKey }, solana };
}

test('the tour pays the stated prices on every network over x402 and on every EVM network over MPP', async () => {
  const wallets = await newTourWallets();
  const { apiUrl, networks } = stack();
  const links = await runTour({ apiUrl, networks, wallets });
  const calls = await sql<{ rail: string; network: string; operation: string; state: string }>(
    'SELECT rail::text, network, operation, state::text FROM paid_call WHERE payer = ANY($1)',
    [[wallets.evm.address, wallets.solana.address]],
  );
  expect(calls.every(({ state }) => state === 'delivered')).toBe(true);
  const bought = calls.filter(({ operation }) => operation === 'uploads.create');
  expect(bought.map(({ rail, network: on }) => `${rail} ${on}`).sort()).toEqual(
    [...networks.map(({ name }) => `x402 ${name}`), ...evmNetworkNames.map((name) => `mpp ${name}`)].sort(),
  );
  for (const operation of ['uploads.renew', 'uploads.delete']) {
    const rails = calls.filter((call) => call.operation === operation).map(({ rail }) => rail);
    expect(rails.sort()).toEqual(['mpp', 'x402']);
  }
  for (const operation of ['neural.search', 'crawl.scrape', 'serp.search']) {
    const rails = calls.filter((call) => call.operation === operation).map(({ rail }) => rail);
    expect(rails.sort()).toEqual(['mpp', 'x402']);
  }
  // Each network: an upload per rail. Base: also a renewal per rail, a PDF, a form, research and flights per rail, an offer and
  // an airport search. Polygon: also a deletion per rail.
  expect(await readUsdc(network('base'), wallets.evm.address)).toBe(
    1_000_000n - 50_000n - 58_000n - 111_000n,
  );
  expect(await readUsdc(network('polygon'), wallets.evm.address)).toBe(1_000_000n - 12_000n);
  expect(await readUsdc(network('arbitrum'), wallets.evm.address)).toBe(1_000_000n - 10_000n);
  // Every upload that was not deleted, plus the PDF and the form.
  expect(links).toHaveLength(bought.length - 2 + 2);
  for (const { url } of links) expect((await fetch(url)).status).toBe(200);
});
