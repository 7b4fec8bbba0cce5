import { randomUUID } from 'node:crypto';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { accountWith, asHolder, balanceIn, buySlotFrom } from '../support/accounts';
import { balanceOf } from '../support/balances';
import { envelopeFor, payingFetch, paymentHeader } from '../support/buyer';
import { sql } from '../support/database';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { network, networkNames, stack } from '../support/stack';
import { networkSample } from '../support/tiers';
import { buyFile, buySlot, putFile, type Slot, uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const newPayer = (on: string) => (on === 'solana-mainnet' ? newSolanaPayer() : newEvmPayer());

for (const name of networkNames) {
  test(
    `the official client buys, renews and deletes an upload on ${name}, each at exactly its price`,
    networkSample(name),
    async () => {
      const wallet = await newPayer(name);
      const pay = payingFetch(wallet, name);
      const { bytes, body, announcement } = aFile(1_000);
      const bought = await pay(uploadsUrl(), { method: 'POST', body });
      expect(bought.status).toBe(200);
      expect(await balanceOf(wallet, name)).toBe(10_000_000n - 5_000n);
      const slot = await bought.json();
      expect(Object.keys(slot).sort()).toEqual(
        ['expiresAt', 'id', 'maxSize', 'publicUrl', 'tags', 'uploadHeaders', 'uploadMethod', 'uploadUrl']
          .concat('uploadUrlExpiresAt')
          .sort(),
      );
      expect(slot).toMatchObject({ uploadMethod: 'PUT', maxSize: 10_485_760, tags: [] });
      expect(new URL(slot.publicUrl).origin).toBe(stack().filesUrl);
      expect((await fetch(slot.publicUrl)).status).toBe(404);
      expect((await putFile(slot, bytes)).status).toBe(200);
      const file = await fetch(slot.publicUrl);
      expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
      expect(file.headers.get('etag')).toBe(`"${announcement.sha256}"`);

      const renewed = await pay(`${uploadsUrl()}/${slot.id}/renew`, { method: 'POST' });
      const renewal = await renewed.json();
      expect(renewal).toMatchObject({ id: slot.id, renewalCount: 1, txHash: expect.any(String) });
      expect(Date.parse(renewal.expiresAt) - Date.parse(slot.expiresAt)).toBe(7 * 86_400_000);
      expect(await balanceOf(wallet, name)).toBe(10_000_000n - 10_000n);

      const deleted = await pay(`${uploadsUrl()}/${slot.id}`, { method: 'DELETE' });
      expect(await deleted.json()).toEqual({
        id: slot.id,
        status: 'deleted',
        deleted: true,
        deletedAt: expect.any(String),
        expiresAt: renewal.expiresAt,
      });
      expect((await fetch(slot.publicUrl)).status).toBe(410);
      expect(await balanceOf(wallet, name)).toBe(10_000_000n - 11_000n);
    },
  );

  test(
    `a paid response on ${name} has the receipt under both names, and the ID of the call`,
    networkSample(name),
    async () => {
      const wallet = await newPayer(name);
      const answer = await payingFetch(wallet, name)(uploadsUrl(), { method: 'POST', body: aFile().body });
      const receipt = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '');
      expect(answer.headers.get('x-payment-response')).toBe(answer.headers.get('payment-response'));
      expect(receipt).toMatchObject({ success: true, network: network(name).caip2, payer: wallet.address });
      const call = await fetch(`${stack().apiUrl}/v1/paid-calls/${answer.headers.get('paid-call-id')}`);
      expect(await call.json()).toMatchObject({
        operation: 'uploads.create',
        state: 'delivered',
        price: '0.005',
        network: name,
        transaction: receipt.transaction,
      });
    },
  );

  test(
    `another wallet on ${name} cannot renew or delete, and is not charged`,
    networkSample(name),
    async () => {
      const [owner, stranger] = await Promise.all([newPayer(name), newPayer(name)]);
      const { id } = await buySlot(owner, name);
      const pay = payingFetch(stranger, name);
      for (const [method, path] of [
        ['POST', `${id}/renew`],
        ['DELETE', id],
      ] as const) {
        const answer = await pay(`${uploadsUrl()}/${path}`, { method });
        expect(answer.status).toBe(403);
        expect((await answer.json()).error).toMatchObject({ code: 'not_owner', payment: 'none' });
      }
      expect(await balanceOf(stranger, name)).toBe(10_000_000n);
    },
  );
}

test('the X-PAYMENT header pays as well', async () => {
  const wallet = await newEvmPayer();
  const header = paymentHeader(await envelopeFor(uploadsUrl(), wallet, 'base'))['PAYMENT-SIGNATURE'];
  const answer = await fetch(uploadsUrl(), {
    method: 'POST',
    headers: { 'X-PAYMENT': header },
    body: aFile().body,
  });
  expect(answer.status).toBe(200);
});

test('an upload can be renewed up to 30 days from the original upload; further renewals are refused uncharged', async () => {
  const wallet = await newEvmPayer();
  const pay = payingFetch(wallet, 'polygon');
  const slot = await buyFile(wallet, 'polygon');
  const renew = () => pay(`${uploadsUrl()}/${slot.id}/renew`, { method: 'POST' });
  const renewals = [await renew(), await renew(), await renew()];
  const last = await renew();
  const beyond = await renew();
  expect([...renewals, last, beyond].map(({ status }) => status)).toEqual([200, 200, 200, 200, 409]);
  expect(Date.parse((await last.json()).expiresAt) - Date.parse(slot.expiresAt)).toBe(23 * 86_400_000);
  expect((await beyond.json()).error).toMatchObject({ code: 'renewal_limit', payment: 'none' });
  expect(await balanceOf(wallet, 'polygon')).toBe(10_000_000n - 25_000n);
});

test('an upload without its file cannot be renewed: 409 while the file may still be sent, then 404, and nothing is charged', async () => {
  const wallet = await newEvmPayer();
  const account = await accountWith('1');
  const slots: Slot[] = [await buySlot(wallet, 'base'), await (await buySlotFrom(account)).json()];
  const before = [await balanceOf(wallet, 'base'), await balanceIn(account)];
  const [ofWallet, ofAccount] = slots.map(({ id }) => id);
  const renewals = [
    () => payingFetch(wallet, 'base')(`${uploadsUrl()}/${ofWallet}/renew`, { method: 'POST' }),
    () =>
      mppClient(wallet, 'base').fetch(`${stack().apiUrl}/v1/mpp/uploads/${ofWallet}/renew`, {
        method: 'POST',
      }),
    () => asHolder(account, 'POST', `/v1/account/uploads/${ofAccount}/renew`, { key: randomUUID() }),
  ];
  for (const renew of renewals) await expectError(await renew(), 'upload_not_ready');
  await sql(`UPDATE upload SET upload_url_expires_at = now() - interval '1 second' WHERE id = ANY ($1)`, [
    slots.map(({ id }) => id),
  ]);
  for (const renew of renewals) await expectError(await renew(), 'upload_not_found');
  expect([await balanceOf(wallet, 'base'), await balanceIn(account)]).toEqual(before);
});

test('an unknown, expired or deleted upload cannot be renewed or deleted, and nothing is charged', async () => {
  const wallet = await newEvmPayer();
  const pay = payingFetch(wallet, 'base');
  const [expired, deleted] = [await buySlot(wallet, 'base'), await buySlot(wallet, 'base')];
  await sql(`UPDATE upload SET expires_at = now() - interval '1 minute' WHERE id = $1`, [expired.id]);
  expect((await pay(`${uploadsUrl()}/${deleted.id}`, { method: 'DELETE' })).status).toBe(200);
  const before = await balanceOf(wallet, 'base');
  for (const id of ['up_unknown', expired.id, deleted.id]) {
    for (const [method, path] of [
      ['POST', `${id}/renew`],
      ['DELETE', id],
    ] as const) {
      const answer = await pay(`${uploadsUrl()}/${path}`, { method });
      expect((await answer.json()).error).toMatchObject({ code: 'upload_not_found', payment: 'none' });
      expect(answer.status).toBe(404);
    }
  }
  expect(await balanceOf(wallet, 'base')).toBe(before);
});

test('the status of a paid call needs its ID', async () => {
  const answer = await fetch(`${stack().apiUrl}/v1/paid-calls/pc_000000000000000000000000`);
  expect(answer.status).toBe(404);
  expect((await answer.json()).error.code).toBe('paid_call_not_found');
});

test('a client that does not know payment flows is served, although it leaves the flow out', async () => {
  const wallet = await newEvmPayer();
  const envelope = await envelopeFor(uploadsUrl(), wallet, 'base');
  const { paymentFlow, ...extra } = envelope.accepted.extra ?? {};
  expect(paymentFlow).toBe('upfront');
  const older = { ...envelope, accepted: { ...envelope.accepted, extra } };
  const { body } = aFile(10);
  const answer = await fetch(uploadsUrl(), { method: 'POST', headers: paymentHeader(older), body });
  expect(answer.status).toBe(200);
  expect(await balanceOf(wallet, 'base')).toBe(10_000_000n - 5_000n);
});
