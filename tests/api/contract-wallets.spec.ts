import { getAddress, type Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { topUpUsdc } from '@/local/evm/funding';
import { balanceOf } from '../support/balances';
import { payingFetch, type Wallet } from '../support/buyer';
import { deployAt, ownedBy } from '../support/contract-wallets';
import { callsOf } from '../support/database';
import { expectError, startAtomic } from '../support/expectations';
import { everyType, formsUrl } from '../support/forms';
import { newEvmPayer } from '../support/payers';
import { network } from '../support/stack';
import { buyFile, type Slot, uploadsUrl } from '../support/uploads';
import { signerFor } from '../support/wallet-sign-in';
import { expect, test } from '../support/without-browser';

/** Two contract wallets with different owners at the same address. */

type Network = 'base' | 'polygon';

/** Deploys a wallet with a new owner on base, and one with another new owner at the same address on polygon. */
async function twoOwners(): Promise<Record<Network, PrivateKeyAccount>> {
  const onBase = privateKeyToAccount(generatePrivateKey());
  const onPolygon = privateKeyToAccount(generatePrivateKey());
  const address = getAddress(await deployAt('base', ownedBy(onBase)));
  await deployAt('polygon', ownedBy(onPolygon), address);
  for (const on of ['base', 'polygon'] as const) {
    const { rpcUrl, usdc } = network(on);
    await topUpUsdc(rpcUrl, usdc as Hex, [address], startAtomic, startAtomic);
  }
  return { base: signerFor(address, onBase), polygon: signerFor(address, onPolygon) };
}

const renew = (wallet: Wallet, on: Network, { id }: Slot) =>
  payingFetch(wallet, on)(`${uploadsUrl()}/${id}/renew`, { method: 'POST' });
const remove = (wallet: Wallet, on: Network, { id }: Slot) =>
  payingFetch(wallet, on)(`${uploadsUrl()}/${id}`, { method: 'DELETE' });

test('the owner of a contract on another network can neither renew nor delete what was bought on this one', async () => {
  const { base, polygon } = await twoOwners();
  const slot = await buyFile(base, 'base');
  for (const attempt of [renew, remove])
    await expectError(await attempt(polygon, 'polygon', slot), 'not_owner');
  expect(await balanceOf(polygon, 'polygon')).toBe(startAtomic);
  expect((await fetch(slot.publicUrl)).status).toBe(200);

  const renewed = await renew(base, 'base', slot);
  expect([renewed.status, (await renewed.json()).renewalCount]).toEqual([200, 1]);
  expect((await remove(base, 'base', slot)).status).toBe(200);
  expect((await fetch(slot.publicUrl)).status).toBe(410);
});

test('a key renews and deletes on one network what it bought on another', async () => {
  const wallet = await newEvmPayer();
  const slot = await buyFile(wallet, 'base');
  const renewed = await renew(wallet, 'polygon', slot);
  expect([renewed.status, (await renewed.json()).renewalCount]).toEqual([200, 1]);
  expect((await remove(wallet, 'polygon', slot)).status).toBe(200);
});

/** Buys a form under an idempotency key that can be guessed. */
const order = (wallet: Wallet, on: Network, body: object = everyType) =>
  payingFetch(wallet, on)(formsUrl(), {
    method: 'POST',
    headers: { 'Idempotency-Key': 'order-1' },
    body: JSON.stringify(body),
  });

test('the owner of a contract on another network gets nothing under the key of this one, and pays nothing', async () => {
  const { base, polygon } = await twoOwners();
  const first = await order(base, 'base');
  const form = await first.json();
  expect(first.status).toBe(200);
  for (const body of [everyType, { ...everyType, title: 'Winter party' }]) {
    const answer = await order(polygon, 'polygon', body);
    const said = JSON.stringify([...answer.headers.values(), await answer.clone().text()]);
    for (const secret of [form.id, form.readToken, first.headers.get('paid-call-id')])
      expect(said).not.toContain(secret);
    await expectError(answer, 'idempotency_conflict');
  }
  expect(await balanceOf(polygon, 'polygon')).toBe(startAtomic);

  const again = await order(base, 'base');
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(await again.json()).toEqual(form);
  expect(await callsOf(base.address)).toBe(1);
});

test('one of two owners who use one key at once is served, and the other gets a conflict', async () => {
  const wallets = await twoOwners();
  const answers = await Promise.all([order(wallets.base, 'base'), order(wallets.polygon, 'polygon')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  for (const answer of answers.filter(({ status }) => status === 409))
    await expectError(answer, 'idempotency_conflict');
  expect(await callsOf(wallets.base.address)).toBe(1);
});
