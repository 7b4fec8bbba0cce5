import { decodePaymentResponseHeader } from '@x402/core/http';
import { type Hex, parseEventLogs } from 'viem';
import { rpcCall } from '@/local/json-rpc';
import { balanceOf } from '../support/balances';
import { envelopeFor, payingFetch, paymentHeader } from '../support/buyer';
import { callsOf } from '../support/database';
import { chainClient, tokenAbi } from '../support/evm-chain';
import { expectError, startAtomic } from '../support/expectations';
import { aFile } from '../support/files';
import { authorizationOf, resign, signatureOf, withPayload } from '../support/lies';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { forEachSeller } from '../support/sellers';
import { evmNetworkNames, network, stack } from '../support/stack';
import { networkSample, sample } from '../support/tiers';
import { buyFile, uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const newPayer = (on: string) => (on === 'solana-mainnet' ? newSolanaPayer() : newEvmPayer());

/** What a paid call does to an upload, by its method and the end of its path. */
const deeds = [
  ['POST', '/renew', 5_000n],
  ['DELETE', '', 1_000n],
] as const;

for (const on of ['base', 'solana-mainnet'] as const) {
  for (const [method, path, price] of deeds) {
    test(
      `a payment on ${on} for ${method} {id}${path} of one upload does not pay for another`,
      sample(on === 'base'),
      async () => {
        const wallet = await newPayer(on);
        const [one, other] = [await buyFile(wallet, on), await buyFile(wallet, on)];
        const urlOf = (id: string) => `${uploadsUrl()}/${id}${path}`;
        const headers = paymentHeader(await envelopeFor(urlOf(one.id), wallet, on, method));
        expect((await fetch(urlOf(one.id), { method, headers })).status).toBe(200);
        await expectError(await fetch(urlOf(other.id), { method, headers }), 'idempotency_conflict');
        expect(await balanceOf(wallet, on)).toBe(startAtomic - 10_000n - price);
        // Only the first upload was renewed or deleted: the second has not been renewed yet.
        const renewed = await payingFetch(wallet, on)(`${uploadsUrl()}/${other.id}/renew`, {
          method: 'POST',
        });
        expect(await renewed.json()).toMatchObject({ id: other.id, renewalCount: 1 });
      },
    );

    test(
      `${method} {id}${path} on ${on} with the same payment again is replayed and done once`,
      sample(on === 'base'),
      async () => {
        const wallet = await newPayer(on);
        const { id } = await buyFile(wallet, on);
        const url = `${uploadsUrl()}/${id}${path}`;
        const headers = paymentHeader(await envelopeFor(url, wallet, on, method));
        const first = await fetch(url, { method, headers });
        const again = await fetch(url, { method, headers });
        expect([first.status, again.status]).toEqual([200, 200]);
        expect(again.headers.get('idempotent-replayed')).toBe('true');
        expect(again.headers.get('paid-call-id')).toBe(first.headers.get('paid-call-id'));
        expect(await again.text()).toBe(await first.text());
        expect(await balanceOf(wallet, on)).toBe(startAtomic - 5_000n - price);
      },
    );
  }

  test(
    `a deletion on ${on} cannot be paid at the price of a renewal, nor a renewal at that of a deletion`,
    sample(on === 'base'),
    async () => {
      const wallet = await newPayer(on);
      const { id } = await buyFile(wallet, on);
      const renewal = `${uploadsUrl()}/${id}/renew`;
      const deletion = `${uploadsUrl()}/${id}`;
      const cheap = paymentHeader(await envelopeFor(deletion, wallet, on, 'DELETE'));
      const dear = paymentHeader(await envelopeFor(renewal, wallet, on));
      expect((await fetch(renewal, { method: 'POST', headers: cheap })).status).toBe(402);
      expect((await fetch(deletion, { method: 'DELETE', headers: dear })).status).toBe(402);
      expect(await balanceOf(wallet, on)).toBe(startAtomic - 5_000n);
      expect(await callsOf(wallet.address)).toBe(1);
    },
  );
}

test('an unused payment for an upload can pay for a renewal of the same price instead, once', async () => {
  const wallet = await newEvmPayer();
  const { id } = await buyFile(wallet, 'base');
  const headers = paymentHeader(await envelopeFor(uploadsUrl(), wallet, 'base'));
  const renewed = await fetch(`${uploadsUrl()}/${id}/renew`, { method: 'POST', headers });
  expect(renewed.status).toBe(200);
  const upload = await fetch(uploadsUrl(), { method: 'POST', headers, body: aFile().body });
  await expectError(upload, 'idempotency_conflict');
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - 10_000n);
});

test('a key of a wallet belongs to one operation', async () => {
  const wallet = await newEvmPayer();
  const pay = payingFetch(wallet, 'base');
  const headers = { 'Idempotency-Key': 'one-key' };
  const bought = await pay(uploadsUrl(), { method: 'POST', headers, body: aFile().body });
  const { id } = await bought.json();
  const renewal = await pay(`${uploadsUrl()}/${id}/renew`, { method: 'POST', headers });
  await expectError(renewal, 'idempotency_conflict');
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - 5_000n);
});

test('a key of a wallet belongs to one call, even if a second payment is signed for another network', async () => {
  const wallet = await newEvmPayer();
  const headers = { 'Idempotency-Key': 'across-networks' };
  const { body } = aFile();
  const first = await payingFetch(wallet, 'base')(uploadsUrl(), { method: 'POST', headers, body });
  const again = await payingFetch(wallet, 'polygon')(uploadsUrl(), { method: 'POST', headers, body });
  expect(await again.text()).toBe(await first.text());
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - 5_000n);
  expect(await balanceOf(wallet, 'polygon')).toBe(startAtomic);
});

forEachSeller((seller) => {
  test('the same nonce from two wallets is two payments', async () => {
    const [one, other] = await Promise.all([newEvmPayer(), newEvmPayer()]);
    const first = await envelopeFor(seller.url, one, 'base');
    const { nonce } = authorizationOf(first);
    const unlike = await envelopeFor(seller.url, other, 'base');
    const second = await resign(unlike, other, 'base', { authorization: { nonce } });
    for (const envelope of [second, first]) {
      const answer = await fetch(seller.url, {
        method: 'POST',
        headers: paymentHeader(envelope),
        body: seller.newBody(),
      });
      expect(answer.status).toBe(200);
    }
    for (const wallet of [one, other])
      expect(await balanceOf(wallet, 'base')).toBe(startAtomic - seller.price);
  });

  test('a signature with v as 0 or 1 is accepted, and is the same payment as with 27 or 28', async () => {
    const wallet = await newEvmPayer();
    const honest = await envelopeFor(seller.url, wallet, 'base');
    const signature = signatureOf(honest);
    const twin = withPayload(honest, {
      signature: signature.slice(0, -2) + (signature.endsWith('1b') ? '00' : '01'),
    });
    const body = seller.newBody();
    const send = (envelope: typeof honest) =>
      fetch(seller.url, { method: 'POST', headers: paymentHeader(envelope), body });
    const [first, again] = [await send(twin), await send(honest)];
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.text()).toBe(await first.text());
    expect(await balanceOf(wallet, 'base')).toBe(startAtomic - seller.price);
  });

  for (const on of evmNetworkNames.filter((one) => seller.networks.includes(one))) {
    test(
      `the transaction in a receipt on ${on} transfers the price from payer to payee`,
      networkSample(on),
      async () => {
        const wallet = await newEvmPayer();
        const answer = await payingFetch(wallet, on)(seller.url, { method: 'POST', body: seller.newBody() });
        const { transaction } = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '');
        const receipt = await chainClient(on).getTransactionReceipt({ hash: transaction as Hex });
        const transfers = parseEventLogs({ abi: tokenAbi, eventName: 'Transfer', logs: receipt.logs })
          .filter(({ args }) => args.from === wallet.address)
          .map(({ address, args }) => ({ asset: address.toLowerCase(), ...args }));
        const { usdc } = network(on);
        expect(transfers).toEqual([
          { asset: usdc.toLowerCase(), from: wallet.address, to: seller.payTo(on), value: seller.price },
        ]);
      },
    );
  }
});

test('the transaction in a receipt on Solana is final there and moved the price to the payee', async () => {
  const wallet = await newSolanaPayer();
  const answer = await payingFetch(wallet, 'solana-mainnet')(uploadsUrl(), {
    method: 'POST',
    body: aFile().body,
  });
  const { transaction } = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '');
  const { rpcUrl } = network('solana-mainnet');
  const statuses = (await rpcCall(rpcUrl, 'getSignatureStatuses', [[transaction]])) as {
    value: ({ err: unknown } | null)[];
  };
  expect(statuses.value).toEqual([expect.objectContaining({ err: null })]);
  expect(await balanceOf(wallet, 'solana-mainnet')).toBe(startAtomic - 5_000n);
});

test('the status of a paid call shows its payment and state, never its content', async () => {
  const wallet = await newEvmPayer();
  const file = aFile(64, 'a-telling-name.txt');
  const answer = await payingFetch(wallet, 'base')(uploadsUrl(), { method: 'POST', body: file.body });
  const slot = await answer.json();
  const id = answer.headers.get('paid-call-id');
  expect(id).toMatch(/^pc_[0-9A-Za-z]{22,}$/);
  const call = await fetch(`${stack().apiUrl}/v1/paid-calls/${id}`);
  expect([call.status, call.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  const text = await call.text();
  expect(JSON.parse(text)).toEqual({
    id,
    operation: 'uploads.create',
    state: 'delivered',
    price: '0.005',
    currency: 'USDC',
    network: 'base',
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    reason: null,
    refund: null,
    payment: 'kept',
    retry: 'same_request',
    createdAt: expect.any(String),
    movedAt: expect.any(String),
  });
  for (const secret of [slot.id, 'a-telling-name', file.announcement.sha256, stack().filesUrl])
    expect(text).not.toContain(secret);
});
