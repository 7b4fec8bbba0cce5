import { expect } from '@playwright/test';
import { rpcCall } from '@/local/json-rpc';
import { callsOf, transfersOf, untilState, uploadsOf } from './rig/found';
import { pendingCount, stopMining, test } from './rig/own-chain';
import { ask, persist, sign } from './rig/requests';
import { until } from './rig/waiting';

test.setTimeout(180_000);
test.beforeEach(({ rig }) => rig.start());

test('a server killed while its transaction waits for a block resumes that one and sends no other', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  await stopMining(rig);
  const first = ask(request).catch(() => null);
  await until('a waiting transaction', async () => (await pendingCount(rig)) === 1);
  await rig.kill();
  expect(await first).toBeNull();
  await rig.passTakeoverTime();
  await rig.start();
  await until('a look at what is open', async () => rig.server().output().includes('was resumed'));
  expect(await pendingCount(rig)).toBe(1);
  await rpcCall(rig.chainUrl('base'), 'evm_mine');
  const call = await untilState(rig, wallet.address, 'delivered');
  expect(await transfersOf(rig, wallet.address)).toEqual([call.transaction_hash]);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(1);
  expect((await persist(request)).status).toBe(200);
  expect(await rig.audit()).toEqual([]);
});

test('a retry while the first request waits for its block gets Retry-After, and later the response', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  await stopMining(rig);
  const first = ask(request);
  await until('a waiting transaction', async () => (await pendingCount(rig)) === 1);
  const early = await ask(request);
  expect(early.status).toBe(409);
  expect(early.body.error).toMatchObject({ code: 'payment_in_progress', retry: 'same_request' });
  expect(early.headers.get('retry-after')).toBe('2');
  await rpcCall(rig.chainUrl('base'), 'evm_mine');
  expect((await persist(request)).body).toEqual((await first).body);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
});

test('money in pending transactions does not count as balance: a payment that it no longer covers is refused before it costs gas', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer(10_000n);
  const [one, another, tooMuch] = [
    await sign(rig, wallet),
    await sign(rig, wallet),
    await sign(rig, wallet),
  ] as const;
  await stopMining(rig);
  const first = ask(one);
  await until('a waiting transaction', async () => (await pendingCount(rig)) === 1);
  const second = ask(another);
  await until('a second one', async () => (await pendingCount(rig)) === 2);
  const third = await ask(tooMuch);
  expect(third.status).toBe(402);
  expect(third.body.error).toBe('invalid_exact_evm_insufficient_balance');
  expect(await pendingCount(rig)).toBe(2);
  await rpcCall(rig.chainUrl('base'), 'evm_mine');
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(2);
  const states = (await callsOf(rig, wallet.address)).map(({ state }) => state);
  expect(states).toEqual(['delivered', 'delivered', 'refused']);
  expect(await rig.audit()).toEqual([]);
});

test('a transaction that the node forgets before it is mined is sent again', async ({ rig }) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  await stopMining(rig);
  const answer = ask(request);
  const { result } = await until('a waiting transaction', async () => {
    const content = (await rpcCall(rig.chainUrl('base'), 'txpool_content')) as {
      pending: Record<string, Record<string, { hash: string }>>;
    };
    const [waiting] = Object.values(content.pending).flatMap((byNonce) => Object.values(byNonce));
    return waiting ? { result: waiting.hash } : null;
  });
  await rpcCall(rig.chainUrl('base'), 'anvil_dropTransaction', [result]);
  expect(await pendingCount(rig)).toBe(0);
  await until('the transaction again', async () => (await pendingCount(rig)) === 1);
  await rpcCall(rig.chainUrl('base'), 'evm_mine');
  expect((await answer).status).toBe(200);
  expect(await transfersOf(rig, wallet.address)).toEqual([result]);
  expect(await rig.audit()).toEqual([]);
});
