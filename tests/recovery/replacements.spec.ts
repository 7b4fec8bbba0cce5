import { expect } from '@playwright/test';
import { parseTransaction } from 'viem';
import { expectLogged } from '../support/logged';
import { channelSettings, send, signDeposit, signTotal } from './rig/channels';
import { callsOf, transfersOf, untilState } from './rig/found';
import {
  blockNumber,
  mine,
  mineAt,
  onBase,
  pendingCount,
  reorganize,
  stopMining,
  test,
} from './rig/own-chain';
import { ask, persist, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

test.beforeEach(({ rig }) => rig.start());

const gwei = 10n ** 9n;

interface SettlementRow {
  readonly nonce: string;
  readonly hash: string;
  readonly state: string;
}

function settlementsOf(rig: Rig): Promise<SettlementRow[]> {
  return rig.query('SELECT nonce::text, hash, state FROM settlement_transaction ORDER BY created_at');
}

test('a settlement with too low a fee is replaced under the same nonce, and charged once', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  await stopMining(rig);
  const answer = ask(request);
  await until('a waiting transaction', async () => (await pendingCount(rig)) === 1);
  await mineAt(rig, 10n * gwei);
  expect(await transfersOf(rig, wallet.address)).toEqual([]);
  await until('a replacement', async () => (await settlementsOf(rig)).length === 2);
  await until('the replacement in a block', async () => {
    await mineAt(rig, 10n * gwei);
    return (await transfersOf(rig, wallet.address)).length > 0;
  });
  expect((await answer).status).toBe(200);
  const [first, replacement] = await settlementsOf(rig);
  expect(first).toMatchObject({ state: 'replaced', nonce: replacement?.nonce });
  expect(replacement?.state).toBe('confirmed');
  expect(await transfersOf(rig, wallet.address)).toEqual([replacement?.hash]);
  expect(await callsOf(rig, wallet.address)).toMatchObject([
    { state: 'delivered', transaction_hash: replacement?.hash },
  ]);
  expect(await rig.audit()).toEqual([]);
});

test('a settlement waits while gas costs more than the cap, and is charged once when gas is cheap again', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  await stopMining(rig);
  const answer = ask(request).catch(() => null);
  await until('a waiting transaction', async () => (await pendingCount(rig)) === 1);
  await mineAt(rig, 1_000n * gwei);
  await until('the cap is noticed', async () => rig.server().output().includes('more than the cap'), 45_000);
  await until('a block that has it', async () => {
    await mineAt(rig, gwei);
    return (await transfersOf(rig, wallet.address)).length > 0;
  });
  await answer;
  await until('delivery', async () => (await callsOf(rig, wallet.address))[0]?.state === 'delivered');
  for (const { raw } of await rig.query<{ raw: Buffer }>('SELECT raw FROM settlement_transaction')) {
    const { maxFeePerGas = 0n } = parseTransaction(`0x${raw.toString('hex')}`);
    expect(maxFeePerGas <= 20n * gwei).toBe(true);
  }
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('a deposit into a channel that lands although it was replaced is missed when its block goes', async ({
  rig,
}) => {
  await rig.restart(channelSettings());
  const payer = await rig.newEvmPayer();
  const deposit = await signDeposit(rig, payer);
  await stopMining(rig);
  const answer = persist(deposit);
  await until('a waiting transaction', async () => (await pendingCount(rig)) === 1);
  await mineAt(rig, 10n * gwei);
  await until('a replacement', async () => (await settlementsOf(rig)).length === 2);
  const broadcasts = rig.base.on('eth_sendRawTransaction', async () => ({ fault: 'close' }));
  const [first, replacement] = await settlementsOf(rig);
  await onBase(rig, 'anvil_dropTransaction', replacement?.hash);
  const [{ raw } = { raw: Buffer.of() }] = await rig.query<{ raw: Buffer }>(
    'SELECT raw FROM settlement_transaction WHERE hash = $1',
    [first?.hash],
  );
  await mineAt(rig, gwei);
  const before = await blockNumber(rig);
  await onBase(rig, 'eth_sendRawTransaction', `0x${raw.toString('hex')}`);
  await mineAt(rig, gwei);
  expect((await answer).status).toBe(200);
  await untilState(rig, payer.address, 'delivered');
  await reorganize(rig, before);
  await untilState(rig, payer.address, 'unknown');
  expect((await send(await signTotal(rig, payer, { total: 10_000n }))).status).toBe(503);
  broadcasts.remove();
  await onBase(rig, 'evm_setAutomine', true);
  await untilState(rig, payer.address, 'delivered', 60_000);
  expect((await send(await signTotal(rig, payer, { total: 10_000n }))).status).toBe(200);
});

test('a nonce used by someone else who has the key loses no payment', async ({ rig }) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  await stopMining(rig);
  const answer = ask(request).catch(() => null);
  await until('a waiting transaction', async () => (await pendingCount(rig)) === 1);
  const [row] = await rig.query<{ hash: string; signer: string }>(
    'SELECT hash, signer FROM settlement_transaction',
  );
  // The node forgets our transaction, and mines another one with its nonce.
  const broadcasts = rig.base.on('eth_sendRawTransaction', async () => ({ fault: 'close' }));
  await onBase(rig, 'anvil_dropTransaction', row?.hash);
  await onBase(rig, 'anvil_impersonateAccount', row?.signer);
  await onBase(rig, 'eth_sendTransaction', { from: row?.signer, to: row?.signer, value: '0x1' });
  await mine(rig);
  broadcasts.remove();
  await onBase(rig, 'evm_setAutomine', true);
  await answer;
  await until('delivery', async () => (await callsOf(rig, wallet.address))[0]?.state === 'delivered', 60_000);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect((await settlementsOf(rig)).map(({ state }) => state)).toEqual(['replaced', 'confirmed']);
  expect(await rig.audit()).toEqual([]);
});

test('a nonce gap without a recorded transaction is filled, so that later settlements do not wait forever', async ({
  rig,
}) => {
  const [first, second] = [await rig.newEvmPayer(), await rig.newEvmPayer()];
  expect((await ask(await sign(rig, first))).status).toBe(200);
  await rig.kill();
  // Simulates a ledger that has a transaction which no longer exists anywhere.
  await rig.query('UPDATE settlement_signer SET next_nonce = next_nonce + 1');
  await rig.passTakeoverTime();
  await rig.start();
  const request = await sign(rig, second);
  await ask(request).catch(() => null);
  await until('delivery', async () => (await callsOf(rig, second.address))[0]?.state === 'delivered', 60_000);
  await expectLogged(rig.server(), 'a nonce gap was filled');
  expect(await transfersOf(rig, second.address)).toHaveLength(1);
  expect((await settlementsOf(rig)).map(({ nonce }) => Number(nonce)).sort()).toEqual([0, 1, 2]);
  expect(await rig.audit()).toEqual([]);
});
