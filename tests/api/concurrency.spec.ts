import { readUsdcBalances } from '@/local/evm/funding';
import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { uploadsOf } from '../support/database';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { expectCalls, theService } from '../support/seller';
import { forEachSeller } from '../support/sellers';
import { network } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';

forEachSeller((seller) => {
  test('a hundred simultaneous identical requests make one transfer and one upload, and get equal responses', async () => {
    for (const on of (['base', 'solana-mainnet'] as const).filter((one) => seller.networks.includes(one))) {
      const wallet = on === 'base' ? await newEvmPayer() : await newSolanaPayer();
      const body = seller.newBody();
      const headers = paymentHeader(await envelopeFor(seller.url, wallet, on));
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => fetch(seller.url, { method: 'POST', headers, body })),
      );
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
      expect(new Set(texts).size).toBe(1);
      expect(new Set(answers.map((answer) => answer.headers.get('paid-call-id'))).size).toBe(1);
      expect(await balanceOf(wallet, on)).toBe(10_000_000n - seller.price);
      await expectCalls(seller, wallet.address, 1);
      if (seller === theService) expect(await uploadsOf(wallet.address)).toBe(1);
    }
  });

  test('a hundred simultaneous payers all succeed with one settlement key', fullOnly, async () => {
    const wallets = await Promise.all(Array.from({ length: 100 }, () => newEvmPayer()));
    const requests = await Promise.all(
      wallets.map(async (wallet) => ({
        headers: paymentHeader(await envelopeFor(seller.url, wallet, 'base')),
        body: seller.newBody(),
      })),
    );
    const startedAt = performance.now();
    const answers = await Promise.all(
      requests.map((request) => fetch(seller.url, { method: 'POST', ...request })),
    );
    if (seller === theService) console.log(`100 payers: ${Math.round(performance.now() - startedAt)} ms`);
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
    const { rpcUrl, usdc } = network('base');
    const balances = await readUsdcBalances(
      rpcUrl,
      usdc as `0x${string}`,
      wallets.map(({ address }) => address),
    );
    expect(new Set(balances)).toEqual(new Set([10_000_000n - seller.price]));
  });

  test('a wallet with money for one call is charged once for twenty authorizations, and owes nothing', async () => {
    const wallet = await newEvmPayer(seller.price);
    const requests = await Promise.all(
      Array.from({ length: 20 }, async () => ({
        headers: paymentHeader(await envelopeFor(seller.url, wallet, 'base')),
        body: seller.newBody(),
      })),
    );
    const answers = await Promise.all(
      requests.map((request) => fetch(seller.url, { method: 'POST', ...request })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(19).fill(402)]);
    expect(await balanceOf(wallet, 'base')).toBe(0n);
    if (seller === theService) expect(await uploadsOf(wallet.address)).toBe(1);
  });
});
