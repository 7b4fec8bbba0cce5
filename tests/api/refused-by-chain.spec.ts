import { expect, test } from '@playwright/test';
import type { PaymentPayload } from '@x402/core/types';
import { topUpUsdc } from '@/lib/local/evm/funding';
import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { cancelAuthorization, sendAway } from '../support/evm-chain';
import { expectChallenge, expectUntouched, startAtomic } from '../support/expectations';
import { aFile } from '../support/files';
import { authorizationOf } from '../support/lies';
import { newEvmPayer } from '../support/payers';
import { evmNetworkNames, network } from '../support/stack';
import { buySlot, uploadsUrl } from '../support/uploads';

function post(envelope: PaymentPayload, body: string): Promise<Response> {
  return fetch(uploadsUrl(), { method: 'POST', headers: paymentHeader(envelope), body });
}

for (const on of evmNetworkNames) {
  test(`an authorization that its payer has cancelled on ${on} buys nothing, and the next one does`, async () => {
    const wallet = await newEvmPayer();
    const envelope = await envelopeFor(uploadsUrl(), wallet, on);
    await cancelAuthorization(on, wallet, authorizationOf(envelope).nonce);
    const { body } = aFile();
    await expectChallenge(await post(envelope, body), 'invalid_exact_evm_nonce_already_used');
    await expectUntouched(wallet, on);
    expect((await post(await envelopeFor(uploadsUrl(), wallet, on), body)).status).toBe(200);
  });
}

test('a payment is refused while the money is away, and the very same one is taken when it is back', async () => {
  const on = 'polygon';
  const wallet = await newEvmPayer();
  const envelope = await envelopeFor(uploadsUrl(), wallet, on);
  const { body } = aFile();
  await sendAway(on, wallet, startAtomic - 4_999n);
  await expectChallenge(await post(envelope, body), 'invalid_exact_evm_insufficient_balance');
  await expectUntouched(wallet, on, 4_999n);
  const { rpcUrl, usdc } = network(on);
  await topUpUsdc(rpcUrl, usdc, [wallet.address], 5_000n, 5_000n);
  expect((await post(envelope, body)).status).toBe(200);
  expect(await balanceOf(wallet, on)).toBe(0n);
});

for (const [method, path, price] of [
  ['POST', '/renew', 5_000n],
  ['DELETE', '', 1_000n],
] as const) {
  test(`${method} {id}${path} is refused without the money for it, and the upload stays as it is`, async () => {
    const on = 'arbitrum';
    const wallet = await newEvmPayer(5_000n + price - 1n);
    const slot = await buySlot(wallet, on);
    const url = `${uploadsUrl()}/${slot.id}${path}`;
    const headers = paymentHeader(await envelopeFor(url, wallet, on, method));
    const answer = await fetch(url, { method, headers });
    await expectChallenge(answer, 'invalid_exact_evm_insufficient_balance');
    expect(await balanceOf(wallet, on)).toBe(price - 1n);
    // Neither gone (410) nor filled: still waiting for its bytes.
    expect((await fetch(slot.publicUrl)).status).toBe(404);
  });
}

test('twenty payments from a wallet with money for one: one is served, and none of the others is left open', async () => {
  const on = 'base';
  const wallet = await newEvmPayer(5_000n);
  const envelopes = await Promise.all(
    Array.from({ length: 20 }, () => envelopeFor(uploadsUrl(), wallet, on)),
  );
  const answers = await Promise.all(
    envelopes.map(async (envelope) => ({ envelope, answer: await post(envelope, aFile().body) })),
  );
  const lost = answers.filter(({ answer }) => answer.status !== 200);
  expect(lost.map(({ answer }) => answer.status)).toEqual(Array(19).fill(402));
  expect(await balanceOf(wallet, on)).toBe(0n);
  const { rpcUrl, usdc } = network(on);
  await topUpUsdc(rpcUrl, usdc, [wallet.address], 5_000n, 5_000n);
  // A refused payment holds nothing back: the next one, and a fresh one, find the money.
  expect((await post(await envelopeFor(uploadsUrl(), wallet, on), aFile().body)).status).toBe(200);
  expect(await balanceOf(wallet, on)).toBe(0n);
});
