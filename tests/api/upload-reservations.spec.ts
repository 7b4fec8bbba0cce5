import { randomUUID } from 'node:crypto';
import { toAtomic } from '@/lib/payments/money';
import { accountWith, asHolder, balanceIn, buySlotFrom } from '../support/accounts';
import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { sql } from '../support/database';
import { expectError, startAtomic } from '../support/expectations';
import { aFile } from '../support/files';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { stack } from '../support/stack';
import { buyFile, putFile, type Slot, uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const renewalAtomic = 5_000n;
const dayMs = 86_400_000;

/** An upload of a new owner, and what the owner can do to it. Calls are signed first, so that many can be sent at once. */
interface Owned {
  readonly id: string;
  renew(): Promise<() => Promise<Response>>;
  delete(): Promise<() => Promise<Response>>;
  readonly deletionAtomic: bigint;
  /** Atomic USDC that its owner has paid since buying the upload. */
  paid(): Promise<bigint>;
}

async function ownedByWallet(on: 'base' | 'solana-mainnet'): Promise<Owned> {
  const wallet = on === 'base' ? await newEvmPayer() : await newSolanaPayer();
  const { id } = await buyFile(wallet, on);
  const signed = async (path: string, method: string) => {
    const url = `${uploadsUrl()}/${path}`;
    const headers = paymentHeader(await envelopeFor(url, wallet, on, method));
    return () => fetch(url, { method, headers });
  };
  return {
    id,
    renew: () => signed(`${id}/renew`, 'POST'),
    delete: () => signed(id, 'DELETE'),
    deletionAtomic: 1_000n,
    paid: async () => startAtomic - renewalAtomic - (await balanceOf(wallet, on)),
  };
}

async function ownedOverMpp(): Promise<Owned> {
  const wallet = await newEvmPayer();
  const { id } = await buyFile(wallet, 'polygon');
  const signed = async (path: string, method: string) => {
    const url = `${stack().apiUrl}/v1/mpp/uploads/${path}`;
    const unpaid = await fetch(`${url}?network=polygon`, { method });
    const Authorization = await mppClient(wallet, 'polygon').createCredential(unpaid);
    return () => fetch(url, { method, headers: { Authorization } });
  };
  return {
    id,
    renew: () => signed(`${id}/renew`, 'POST'),
    delete: () => signed(id, 'DELETE'),
    deletionAtomic: 1_000n,
    paid: async () => startAtomic - renewalAtomic - (await balanceOf(wallet, 'polygon')),
  };
}

async function ownedByAccount(): Promise<Owned> {
  const account = await accountWith('1');
  const file = aFile();
  const slot: Slot = await (await buySlotFrom(account, { body: file.body })).json();
  expect((await putFile(slot, file.bytes)).status).toBe(200);
  const { id } = slot;
  const path = `/v1/account/uploads/${id}`;
  return {
    id,
    renew: async () => () => asHolder(account, 'POST', `${path}/renew`, { key: randomUUID() }),
    delete: async () => () => asHolder(account, 'DELETE', path),
    deletionAtomic: 0n,
    paid: async () => toAtomic('0.995') - toAtomic(await balanceIn(account)),
  };
}

const owners = [
  { name: 'x402 on base', own: () => ownedByWallet('base') },
  { name: 'x402 on Solana', own: () => ownedByWallet('solana-mainnet') },
  { name: 'MPP on polygon', own: ownedOverMpp },
  { name: 'an account', own: ownedByAccount },
];

async function reservationsOf(id: string) {
  const [row] = await sql<{ renewals: number; isDeletion: boolean; calls: string }>(
    `SELECT reserved_renewals AS renewals, is_deletion_reserved AS "isDeletion",
       (SELECT count(*) FROM upload_reservation WHERE upload_id = upload.id)::text AS calls
     FROM upload WHERE id = $1`,
    [id],
  );
  return row;
}

const noReservations = { renewals: 0, isDeletion: false, calls: '0' };

for (const { name, own } of owners) {
  test(`eight simultaneous renewals are charged four times, once for each that adds time, paid over ${name}`, async () => {
    const upload = await own();
    const calls = [];
    for (let index = 0; index < 8; index += 1) calls.push(await upload.renew());
    const answers = await Promise.all(calls.map((call) => call()));
    const renewed = answers.filter(({ status }) => status === 200);
    for (const refused of answers.filter((answer) => !renewed.includes(answer)))
      await expectError(refused, 'renewal_limit');
    const bodies: { renewalCount: number; expiresAt: string }[] = await Promise.all(
      renewed.map((answer) => answer.json()),
    );
    const byCount = bodies.toSorted((one, other) => one.renewalCount - other.renewalCount);
    expect(byCount.map(({ renewalCount }) => renewalCount)).toEqual([1, 2, 3, 4]);
    const [row] = await sql<{ createdAt: Date }>(
      'SELECT created_at AS "createdAt" FROM upload WHERE id = $1',
      [upload.id],
    );
    const daysOf = (time: string) => (Date.parse(time) - Number(row?.createdAt)) / dayMs;
    expect(byCount.map(({ expiresAt }) => daysOf(expiresAt))).toEqual([14, 21, 28, 30]);
    expect(await upload.paid()).toBe(4n * renewalAtomic);
    expect(await reservationsOf(upload.id)).toEqual(noReservations);
  });

  test(`a simultaneous renewal and deletion take effect exactly when they are charged, paid over ${name}`, async () => {
    const upload = await own();
    const calls = [await upload.renew(), await upload.delete()];
    const [renewed, deleted] = (await Promise.all(calls.map((call) => call()))) as [Response, Response];
    expect(deleted.status, await deleted.clone().text()).toBe(200);
    if (renewed.status !== 200) await expectError(renewed, 'upload_not_found');
    const renewalPaid = renewed.status === 200 ? renewalAtomic : 0n;
    expect(await upload.paid()).toBe(renewalPaid + upload.deletionAtomic);
    expect(await reservationsOf(upload.id)).toEqual(noReservations);
  });
}

test('one of two simultaneous deletions is charged, and the other finds no upload', async () => {
  const upload = await ownedByWallet('base');
  const calls = [await upload.delete(), await upload.delete()];
  const answers = await Promise.all(calls.map((call) => call()));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
  expect(await upload.paid()).toBe(upload.deletionAtomic);
  expect(await reservationsOf(upload.id)).toEqual(noReservations);
});
