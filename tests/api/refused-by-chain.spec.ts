import type { PaymentPayload } from '@x402/core/types';
import { Credential } from 'mppx';
import type { Hex } from 'viem';
import { topUpUsdc } from '@/local/evm/funding';
import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader, type Wallet } from '../support/buyer';
import { callsOf, sql } from '../support/database';
import { cancelAuthorization, sendAway, submitAuthorization } from '../support/evm-chain';
import { expectChallenge, expectError, expectUntouched, startAtomic } from '../support/expectations';
import { aFile } from '../support/files';
import { type Authorization, authorizationOf, resign, signatureOf } from '../support/lies';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { submitTransaction } from '../support/solana-envelopes';
import { evmNetworkNames, network, stack } from '../support/stack';
import { networkSample } from '../support/tiers';
import { buySlot, uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

function post(envelope: PaymentPayload, body: string): Promise<Response> {
  return fetch(uploadsUrl(), { method: 'POST', headers: paymentHeader(envelope), body });
}

for (const on of evmNetworkNames) {
  test(
    `an authorization canceled by its payer on ${on} buys nothing, and the next one works`,
    networkSample(on),
    async () => {
      const wallet = await newEvmPayer();
      const envelope = await envelopeFor(uploadsUrl(), wallet, on);
      await cancelAuthorization(on, wallet, authorizationOf(envelope).nonce);
      const { body } = aFile();
      await expectChallenge(await post(envelope, body), 'invalid_exact_evm_nonce_already_used');
      await expectUntouched(wallet, on);
      expect((await post(await envelopeFor(uploadsUrl(), wallet, on), body)).status).toBe(200);
    },
  );
}

/** The worklist entries for a wallet. */
const transfersWithoutCall = (wallet: Wallet) =>
  sql('SELECT * FROM transfer_without_call WHERE payer = $1', [wallet.address]);

async function expectUsedBefore(answer: Response): Promise<void> {
  const error = await expectError(answer, 'payment_already_used');
  expect(error).toMatchObject({ payment: 'unknown', retry: 'stop' });
  expect(answer.headers.get('payment-required')).toBeNull();
}

for (const on of evmNetworkNames) {
  test(
    `an authorization used elsewhere on ${on} gets 409 and one entry on the worklist`,
    networkSample(on),
    async () => {
      const wallet = await newEvmPayer();
      const envelope = await envelopeFor(uploadsUrl(), wallet, on);
      const transaction = await submitAuthorization(on, authorizationOf(envelope), signatureOf(envelope));
      const { body } = aFile();
      await expectUsedBefore(await post(envelope, body));
      await expectUsedBefore(await post(envelope, body));
      expect(await callsOf(wallet.address)).toBe(0);
      expect(await transfersWithoutCall(wallet)).toMatchObject([
        {
          network: on,
          authorization: authorizationOf(envelope).nonce.toLowerCase(),
          amount_atomic: '5000',
          pay_to: network(on).payTo,
          transaction_hash: transaction,
          operation: 'uploads.create',
        },
      ]);
      expect((await post(await envelopeFor(uploadsUrl(), wallet, on), body)).status).toBe(200);
      expect(await balanceOf(wallet, on)).toBe(startAtomic - 10_000n);
    },
  );
}

test('a credential whose authorization was used elsewhere gets 409 over MPP too', async () => {
  const wallet = await newEvmPayer();
  const url = `${stack().apiUrl}/v1/mpp/uploads`;
  const { body } = aFile();
  const unpaid = await fetch(`${url}?network=base`, { method: 'POST', body });
  const Authorization = await mppClient(wallet, 'base').createCredential(unpaid);
  const { payload } = Credential.deserialize<Authorization & { signature: Hex }>(Authorization);
  await submitAuthorization('base', payload, payload.signature);
  await expectUsedBefore(await fetch(url, { method: 'POST', headers: { Authorization }, body }));
  expect(await transfersWithoutCall(wallet)).toHaveLength(1);
});

test('a Solana transaction submitted elsewhere gets 409 and one entry on the worklist', async () => {
  const wallet = await newSolanaPayer();
  const envelope = await envelopeFor(uploadsUrl(), wallet, 'solana-mainnet');
  const { SETTLEMENT_KEY_SOLANA = '' } = stack().serverEnv;
  const signature = await submitTransaction(envelope, SETTLEMENT_KEY_SOLANA);
  const { body } = aFile();
  await expectUsedBefore(await post(envelope, body));
  await expectUsedBefore(await post(envelope, body));
  expect(await callsOf(wallet.address)).toBe(0);
  expect(await transfersWithoutCall(wallet)).toMatchObject([
    { network: 'solana-mainnet', amount_atomic: '5000', transaction_hash: signature },
  ]);
  expect((await post(await envelopeFor(uploadsUrl(), wallet, 'solana-mainnet'), body)).status).toBe(200);
});

test('an authorization whose nonce was used by another one gets 402, and nothing is on the worklist', async () => {
  const wallet = await newEvmPayer();
  const envelope = await envelopeFor(uploadsUrl(), wallet, 'base');
  const toHimself = await resign(envelope, wallet, 'base', { authorization: { to: wallet.address } });
  await submitAuthorization('base', authorizationOf(toHimself), signatureOf(toHimself));
  await expectChallenge(await post(envelope, aFile().body), 'invalid_exact_evm_nonce_already_used');
  await expectUntouched(wallet, 'base');
  expect(await transfersWithoutCall(wallet)).toEqual([]);
});

test('a payment is refused while the balance is too low, and accepted when the money is back', async () => {
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
    // Neither gone (410) nor filled: it is still waiting for its bytes.
    expect((await fetch(slot.publicUrl)).status).toBe(404);
  });
}

test('one of twenty payments from a wallet with money for one is served, and none is left open', async () => {
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
  // A refused payment ties up no money: the next payment, and a fresh one, find the balance.
  expect((await post(await envelopeFor(uploadsUrl(), wallet, on), aFile().body)).status).toBe(200);
  expect(await balanceOf(wallet, on)).toBe(0n);
});
