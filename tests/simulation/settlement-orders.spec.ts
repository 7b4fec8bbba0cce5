import { expect, test } from '@playwright/test';
import { EvmChain } from '@/lib/payments/evm/chain';
import { EvmRefundReader } from '@/lib/payments/evm/refund-reader';
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

test('an authorization that its payer has canceled is used, and is no payment', async () => {
  const { time, chain, settler, payment, cancel } = await openProcess(['https://node']);
  const trace = { sinceHeight: BigInt(chain.head.number), transactionHash: null };
  cancel();
  chain.mine();
  const outcome = await time.finish(settler.resolveOutcome(payment, trace), minuteMs);
  expect(outcome).toEqual({ kind: 'refused', reason: 'authorization_canceled' });
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
