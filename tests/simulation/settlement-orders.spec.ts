import { bytesToHex, type Hex } from 'viem';
import { EvmChain } from '@/lib/payments/evm/evm-chain';
import { EvmRefundReader } from '@/lib/payments/evm/evm-refund-reader';
import { refundNonce } from '@/lib/payments/evm/refund-authorization';
import { expect, test } from '../support/without-browser';
import { Account, usdcCalls } from './evm/accounts';
import { openProcess } from './evm/one-process';
import { newCall } from './stores/journal-rows';

// What proves a payment, and in which order a charge is recorded and sent.

const minuteMs = 60_000;

test('a transaction leaves the process only once it is recorded', async () => {
  const events: string[] = [];
  const beforeRequest = (body: string) => {
    if (body.includes('eth_sendRawTransaction')) void note();
  };
  const { world, time, chain, settler, payment } = await openProcess(['https://node'], {
    latencyMs: 400,
    beforeRequest,
  });
  const note = async () => {
    const recorded = await world.all('settlementTransaction');
    events.push(`sent with ${recorded.length} recorded`);
  };
  chain.start();
  await world.insert('paidCall', newCall('call', { ...payment, payment: null }));
  const outcome = await time.finish(settler.settle({ paidCallId: 'call', payment }), minuteMs);
  expect(outcome).toMatchObject({ kind: 'settled' });
  expect(events).toEqual(['sent with 1 recorded']);
});

test('a transaction that was replaced is found when a block has it after all', async () => {
  const { world, time, chain, settler, payment } = await openProcess(['https://node']);
  const recorded = () => world.all('settlementTransaction');
  chain.start();
  chain.passesOver = () => true;
  await world.insert('paidCall', newCall('call', { ...payment, payment: null }));
  void settler.settle({ paidCallId: 'call', payment });
  await time.pass(minuteMs);
  const [first, second] = await recorded();
  if (!first?.raw || !second) throw new Error('the transaction was not replaced');
  // Some node has kept the first, and its block comes before the second is sent again.
  chain.mempool.lose(second.hash as Hex);
  chain.broadcast(bytesToHex(first.raw));
  chain.passesOver = () => false;
  chain.mine();
  await time.pass(10_000);
  expect((await recorded()).map(({ state }) => state)).toEqual(['confirmed', 'replaced']);
});

test('the cost of a replaced transaction is booked when a reorganization brings it back', async () => {
  const { world, time, chain, settler, payment, gasKey } = await openProcess(['https://node']);
  const recorded = () => world.all('settlementTransaction');
  chain.start();
  chain.passesOver = () => true;
  const stored = { signed: payment.signed, sinceHeight: 0n };
  await world.insert('paidCall', newCall('call', { ...payment, payment: stored }));
  void settler.settle({ paidCallId: 'call', payment });
  await time.pass(minuteMs);
  chain.passesOver = () => false;
  await time.pass(10_000);
  const [first, second] = await recorded();
  if (!first?.raw || second?.state !== 'confirmed') throw new Error('the transaction was not replaced');
  chain.reorganize(chain.head.number - Number(second.blockNumber) + 1, { fateOf: () => 'lost' });
  chain.broadcast(bytesToHex(first.raw));
  chain.mine();
  const block = { number: second.blockNumber ?? 0n, hash: second.blockHash };
  await world.one.finality.recordVanished('base', { hash: second.hash, block }, world.now);
  const work = { hasQueued: false, hasLeftBehind: false, hasOpen: true, leased: [gasKey] };
  for (let second = 0; second < 60; second += 1) {
    await time.finish(settler.maintain(work), minuteMs);
    await time.pass(1_000);
  }
  expect((await recorded()).map(({ state }) => state)).toEqual(['confirmed', 'replaced']);
  const postings = await world.all('posting');
  const gas = postings.filter(({ creditAccount }) => creditAccount === `chain:base:gas:${gasKey}`);
  const spent = 10n ** 18n - chain.gasOf(gasKey);
  expect(gas.at(-1)).toMatchObject({ kind: 'gas', amountAtomic: spent });
  expect(await world.all('paidCall')).toMatchObject([{ state: 'settled', transactionHash: first.hash }]);
});

test('transactions that are prepared at once have different nonces', async () => {
  const { world, time, chain, settler, payment, payee } = await openProcess(['https://node'], {
    latencyMs: 400,
  });
  chain.start();
  await world.insert('paidCall', newCall('call', { ...payment, payment: null }));
  const ofOperator = { to: payee.address, data: '0x', gas: 100_000n } as const;
  const both = [settler.settle({ paidCallId: 'call', payment }), settler.submitter.submit(ofOperator)];
  await time.finish(Promise.all(both), minuteMs);
  const nonces = (await world.all('settlementTransaction')).map(({ nonce }) => nonce);
  expect(nonces.sort()).toEqual([0n, 1n]);
});

test('a transaction that a reorganization removed is sent again, and no empty one takes its nonce', async () => {
  const { world, time, chain, settler, payment, payee, gasKey } = await openProcess(['https://node']);
  const stored = { signed: payment.signed, sinceHeight: 0n };
  chain.start();
  await world.insert('paidCall', newCall('call', { ...payment, payment: stored }));
  await time.finish(settler.settle({ paidCallId: 'call', payment }), minuteMs);
  const [settled] = await world.all('settlementTransaction');
  const depth = chain.head.number - Number(settled?.blockNumber) + 1;
  chain.reorganize(depth, { fateOf: () => 'lost' });
  expect(chain.usdcOf(payee.address)).toBe(0n);
  // Nobody has noticed, and the next transaction waits for the nonce.
  await time.finish(settler.submitter.submit({ to: payee.address, data: '0x', gas: 100_000n }), minuteMs);
  const work = { hasQueued: false, hasLeftBehind: false, hasOpen: true, leased: [gasKey] };
  for (let second = 0; second < 60; second += 1) {
    await time.finish(settler.maintain(work), minuteMs);
    await time.pass(1_000);
  }
  expect(chain.nonceOf(gasKey)).toBe(2);
  expect(chain.usdcOf(payee.address)).toBe(10_000n);
});

test('a payment whose authorization its payer has canceled is refused for good once the cancellation is final', async () => {
  const { time, chain, settler, payment, cancel, submitAlone } = await openProcess(['https://node']);
  const trace = { sinceHeight: BigInt(chain.head.number), transactionHash: null };
  const resolve = () => time.finish(settler.resolveOutcome(payment, trace), minuteMs);
  const canceled = { kind: 'refused', reason: 'authorization_canceled' };
  cancel();
  chain.mine();
  expect(await resolve()).toEqual({ ...canceled, isReversible: true });
  // Without the cancellation, the payment can be made.
  chain.reorganize(1, { fateOf: () => 'lost' });
  submitAlone();
  chain.mine();
  expect(await resolve()).toMatchObject({ kind: 'settled' });
  chain.reorganize(1, { fateOf: () => 'lost' });
  cancel();
  chain.mine();
  const { number } = chain.head;
  while (chain.tagged('finalized').number < number) chain.mine();
  expect(await resolve()).toEqual(canceled);
});

test('an answer that only one of two RPCs gives is not believed', async () => {
  for (const behind of [0, 1]) {
    const { time, chain, nodes, settler, payment, cancel } = await openProcess([
      'https://one',
      'https://other',
    ]);
    const trace = { sinceHeight: BigInt(chain.head.number), transactionHash: null };
    const resolve = () => time.finish(settler.resolveOutcome(payment, trace), minuteMs);
    nodes[behind]?.stick();
    cancel();
    chain.mine();
    expect(await resolve()).toMatchObject({ kind: 'unknown' });
    nodes[behind]?.follow();
    expect(await resolve()).toMatchObject({ kind: 'refused' });
  }
});

test('an unused payment expires by the time of final blocks, whatever the clock of the process says', async () => {
  const { time, chain, settler, payment, submitAlone } = await openProcess(['https://node'], {
    aheadMs: 60 * minuteMs,
  });
  const trace = { sinceHeight: BigInt(chain.head.number), transactionHash: null };
  const resolve = () => time.finish(settler.resolveOutcome(payment, trace), minuteMs);
  expect(await resolve()).toMatchObject({ kind: 'unknown', isUnused: true });
  submitAlone();
  chain.mine();
  expect(await resolve()).toMatchObject({ kind: 'settled' });
});

test('only a transfer of exactly the amount is the refund', async () => {
  const { time, app, offer, chain, rpcs, payee, submitAlone } = await openProcess(['https://node']);
  const recipient = new Account('a refunded payer').address;
  submitAlone();
  chain.mine();
  const reader = new EvmRefundReader(new EvmChain(app, offer, rpcs));
  const transferOf = (amount: bigint) => {
    const hash = chain.act(payee.address, {
      to: chain.machine.usdc.address,
      data: usdcCalls.transfer(recipient, amount),
    });
    chain.mine();
    return hash;
  };
  const refund = {
    paidCallId: 'call',
    recipient,
    amountAtomic: 2_000n,
    paidInBlock: 1n,
    paidAt: new Date(time.nowMs),
  };
  const read = (hash: string) => time.finish(reader.read(hash, refund), minuteMs);
  expect(await read(transferOf(1_999n))).toMatchObject({ kind: 'mismatch', reason: 'wrong_amount' });
  expect(await read(transferOf(2_001n))).toMatchObject({ kind: 'mismatch', reason: 'wrong_amount' });
  expect(await read(transferOf(2_000n))).toMatchObject({ kind: 'found' });
});

test('a refund is found that a reorganization put into an earlier block than the newest when it began', async () => {
  const { time, app, offer, chain, rpcs, payee, submitAlone } = await openProcess(['https://node']);
  const recipient = new Account('a refunded payer').address;
  const reader = new EvmRefundReader(new EvmChain(app, offer, rpcs));
  submitAlone();
  chain.mine();
  const refund = {
    paidCallId: 'call',
    recipient,
    amountAtomic: 2_000n,
    paidInBlock: 1n,
    paidAt: new Date(time.nowMs),
  };
  const to = chain.machine.usdc.address;
  // Another transfer of that amount, from before the refund began, is not the refund.
  chain.act(payee.address, { to, data: usdcCalls.transfer(recipient, 2_000n) });
  for (let block = 0; block < 4; block += 1) chain.mine();
  const sinceHeight = await time.finish(reader.height(), minuteMs);
  chain.reorganize(3);
  const validBefore = BigInt(Math.floor(time.nowMs / 1_000) + 600);
  const terms = { from: payee.address, to: recipient, nonce: refundNonce('call') };
  const words = { ...terms, value: 2_000n, validAfter: 0n, validBefore };
  const hash = chain.act(payee.address, {
    to,
    data: usdcCalls.transferParts(words, payee.authorize(offer.network, words)),
  });
  chain.reorganize(2);
  chain.mine();
  expect(chain.blocks.blockOf(hash, chain.head)?.number).toBeLessThan(Number(sinceHeight));
  expect(await time.finish(reader.search(refund, 'refund', sinceHeight), minuteMs)).toEqual([hash]);
});
