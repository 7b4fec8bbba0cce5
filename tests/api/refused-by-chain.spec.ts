import type { PaymentPayload } from '@x402/core/types';
import { Credential } from 'mppx';
import type { Hex } from 'viem';
import { topUpUsdc } from '@/local/evm/funding';
import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader, type Wallet } from '../support/buyer';
import { cancelAuthorization, sendAway, submitAuthorization } from '../support/evm-chain';
import { expectChallenge, expectError, expectUntouched, startAtomic } from '../support/expectations';
import { aFile } from '../support/files';
import { type Authorization, authorizationOf, resign, signatureOf } from '../support/lies';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { expectCalls, type Seller, theService } from '../support/seller';
import { forEachSeller } from '../support/sellers';
import { submitTransaction } from '../support/solana-envelopes';
import { evmNetworkNames, network, stack } from '../support/stack';
import { networkSample } from '../support/tiers';
import { buySlot, uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

function postTo({ url }: Pick<Seller, 'url'>, envelope: PaymentPayload, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: paymentHeader(envelope), body });
}

/** Expects these worklist entries for a wallet, where a look is possible. */
async function expectEntries({ query }: Seller, wallet: Wallet, entries: object[]): Promise<void> {
  const found = await query?.('SELECT * FROM transfer_without_call WHERE payer = $1', [wallet.address]);
  expect(found ?? entries).toMatchObject(entries);
  expect(found ?? entries).toHaveLength(entries.length);
}

async function expectUsedBefore(answer: Response, at: Pick<Seller, 'apiUrl'>): Promise<void> {
  const error = await expectError(answer, 'payment_already_used', at.apiUrl);
  expect(error).toMatchObject({ payment: 'unknown', retry: 'stop' });
  expect(answer.headers.get('payment-required')).toBeNull();
}

forEachSeller((seller) => {
  const post = postTo.bind(null, seller);

  for (const on of evmNetworkNames.filter((one) => seller.networks.includes(one))) {
    test(
      `an authorization canceled by its payer on ${on} buys nothing, and the next one works`,
      networkSample(on),
      async () => {
        const wallet = await newEvmPayer();
        const envelope = await envelopeFor(seller.url, wallet, on);
        await cancelAuthorization(on, wallet, authorizationOf(envelope).nonce);
        const body = seller.newBody();
        await expectChallenge(
          await post(envelope, body),
          'invalid_exact_evm_nonce_already_used',
          undefined,
          seller,
        );
        await expectUntouched(wallet, on, startAtomic, seller);
        expect((await post(await envelopeFor(seller.url, wallet, on), body)).status).toBe(200);
      },
    );
  }

  for (const on of evmNetworkNames.filter((one) => seller.networks.includes(one))) {
    test(
      `an authorization used elsewhere on ${on} gets 409 and one entry on the worklist`,
      networkSample(on),
      async () => {
        const wallet = await newEvmPayer();
        const envelope = await envelopeFor(seller.url, wallet, on);
        const transaction = await submitAuthorization(on, authorizationOf(envelope), signatureOf(envelope));
        const body = seller.newBody();
        await expectUsedBefore(await post(envelope, body), seller);
        await expectUsedBefore(await post(envelope, body), seller);
        await expectCalls(seller, wallet.address, 0);
        await expectEntries(seller, wallet, [
          {
            network: on,
            authorization: authorizationOf(envelope).nonce.toLowerCase(),
            amount_atomic: String(seller.price),
            pay_to: seller.payTo(on),
            transaction_hash: transaction,
            operation: seller.operation,
          },
        ]);
        expect((await post(await envelopeFor(seller.url, wallet, on), body)).status).toBe(200);
        expect(await balanceOf(wallet, on)).toBe(startAtomic - 2n * seller.price);
      },
    );
  }

  test('a credential whose authorization was used elsewhere gets 409 over MPP too', async () => {
    const wallet = await newEvmPayer();
    const url = seller.mppUrl;
    const body = seller.newBody();
    const unpaid = await fetch(`${url}?network=base`, { method: 'POST', body });
    const Authorization = await mppClient(wallet, 'base').createCredential(unpaid);
    const { payload } = Credential.deserialize<Authorization & { signature: Hex }>(Authorization);
    await submitAuthorization('base', payload, payload.signature);
    await expectUsedBefore(await fetch(url, { method: 'POST', headers: { Authorization }, body }), seller);
    await expectEntries(seller, wallet, [{}]);
  });

  test('an authorization whose nonce was used by another one gets 402, and nothing is on the worklist', async () => {
    const wallet = await newEvmPayer();
    const envelope = await envelopeFor(seller.url, wallet, 'base');
    const toHimself = await resign(envelope, wallet, 'base', { authorization: { to: wallet.address } });
    await submitAuthorization('base', authorizationOf(toHimself), signatureOf(toHimself));
    await expectChallenge(
      await post(envelope, seller.newBody()),
      'invalid_exact_evm_nonce_already_used',
      undefined,
      seller,
    );
    await expectUntouched(wallet, 'base', startAtomic, seller);
    await expectEntries(seller, wallet, []);
  });

  test('a payment is refused while the balance is too low, and accepted when the money is back', async () => {
    // Not the network of the other tests, where there is another.
    const on = seller.networks.includes('polygon') ? 'polygon' : 'base';
    const wallet = await newEvmPayer();
    const envelope = await envelopeFor(seller.url, wallet, on);
    const body = seller.newBody();
    await sendAway(on, wallet, startAtomic - seller.price + 1n);
    await expectChallenge(
      await post(envelope, body),
      'invalid_exact_evm_insufficient_balance',
      undefined,
      seller,
    );
    await expectUntouched(wallet, on, seller.price - 1n, seller);
    const { rpcUrl, usdc } = network(on);
    await topUpUsdc(rpcUrl, usdc, [wallet.address], seller.price, seller.price);
    expect((await post(envelope, body)).status).toBe(200);
    expect(await balanceOf(wallet, on)).toBe(0n);
  });

  test('one of twenty payments from a wallet with money for one is served, and none is left open', async () => {
    const on = 'base';
    const wallet = await newEvmPayer(seller.price);
    const envelopes = await Promise.all(
      Array.from({ length: 20 }, () => envelopeFor(seller.url, wallet, on)),
    );
    const answers = await Promise.all(
      envelopes.map(async (envelope) => ({ envelope, answer: await post(envelope, seller.newBody()) })),
    );
    const lost = answers.filter(({ answer }) => answer.status !== 200);
    expect(lost.map(({ answer }) => answer.status)).toEqual(Array(19).fill(402));
    expect(await balanceOf(wallet, on)).toBe(0n);
    const { rpcUrl, usdc } = network(on);
    await topUpUsdc(rpcUrl, usdc, [wallet.address], seller.price, seller.price);
    // A refused payment ties up no money: the next payment, and a fresh one, find the balance.
    expect((await post(await envelopeFor(seller.url, wallet, on), seller.newBody())).status).toBe(200);
    expect(await balanceOf(wallet, on)).toBe(0n);
  });
});

test('a Solana transaction submitted elsewhere gets 409 and one entry on the worklist', async () => {
  const wallet = await newSolanaPayer();
  const envelope = await envelopeFor(uploadsUrl(), wallet, 'solana-mainnet');
  const { SETTLEMENT_KEY_SOLANA = '' } = stack().serverEnv;
  const signature = await submitTransaction(envelope, SETTLEMENT_KEY_SOLANA);
  const { body } = aFile();
  await expectUsedBefore(await postTo(theService, envelope, body), theService);
  await expectUsedBefore(await postTo(theService, envelope, body), theService);
  await expectCalls(theService, wallet.address, 0);
  await expectEntries(theService, wallet, [
    { network: 'solana-mainnet', amount_atomic: '5000', transaction_hash: signature },
  ]);
  expect(
    (await postTo(theService, await envelopeFor(uploadsUrl(), wallet, 'solana-mainnet'), body)).status,
  ).toBe(200);
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
