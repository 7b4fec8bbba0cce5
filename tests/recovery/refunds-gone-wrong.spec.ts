import { expect } from '@playwright/test';
import type { App } from '@/lib/app';
import { cancelRefund, refundByTransfer, requestRefund } from '@/lib/operator/refunds/request-refund';
import { recordSent } from '@/lib/operator/refunds/wallet-refund';
import { test } from './fixtures';
import { blockNumber, mine, onBase, reorganize } from './rig/own-chain';
import {
  asked,
  expectRefunded,
  onRequest,
  problemOf,
  refundByProgram,
  shareRefundRig,
} from './rig/refunding';
import {
  makeFinal,
  openOperator,
  operator,
  refundStates,
  sell,
  sellInVain,
  statusOf,
  transferOnBase,
} from './rig/refunds';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

let rig: Rig;
let app: App;
shareRefundRig((shared) => {
  ({ rig, app } = shared);
});

test('the console finds a refund on the chain when the browser was closed before it reported it', async () => {
  const call = await sell(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const refund = await requestRefund(app, operator, asked(call, onRequest));
  await rig.kill();
  const hash = await transferOnBase(rig, call.wallet.address, 5_000n);
  expect(await problemOf(cancelRefund(app, operator, refund.id, null))).toBe('transfer_found');
  await rig.restart();
  await until('the transaction', async () => (await statusOf(rig, call)).refund?.transaction === hash);
  await mine(rig, 6);
  await expectRefunded(rig, call, hash, null);
});

test('a refund that was never sent can be cancelled, and another one begun', async () => {
  const call = await sell(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const refund = await requestRefund(app, operator, asked(call, onRequest));
  expect(await problemOf(requestRefund(app, operator, asked(call, onRequest)))).toBe('refund_open');
  expect(await cancelRefund(app, operator, refund.id, 'rejected in the wallet')).toMatchObject({
    state: 'cancelled',
  });
  expect(await problemOf(cancelRefund(app, operator, refund.id, null))).toBe('refund_over');
  const next = await requestRefund(app, operator, asked(call, onRequest));
  // The wallet reports a transaction that no node knows, and then the one that replaced it.
  await recordSent(app, operator, next.id, `0x${'cd'.repeat(32)}`);
  const hash = await transferOnBase(rig, call.wallet.address, 5_000n);
  expect(await recordSent(app, operator, next.id, hash)).toMatchObject({ transactionHash: hash });
  expect(await problemOf(cancelRefund(app, operator, next.id, null))).toBe('in_a_block');
  expect(await problemOf(recordSent(app, operator, next.id, `0x${'ef'.repeat(32)}`))).toBe('in_a_block');
  await mine(rig, 6);
  await expectRefunded(rig, call, hash, null);
  expect(await refundStates(rig, call)).toEqual(['cancelled', 'confirmed']);
});

test('a wallet that sent something else made no refund: it fails openly, and another one can begin', async () => {
  const call = await sellInVain(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const refund = await requestRefund(app, operator, asked(call));
  await recordSent(app, operator, refund.id, await transferOnBase(rig, call.wallet.address, 999_999n));
  await mine(rig, 6);
  await until('a failed refund', async () => (await refundStates(rig, call))[0] === 'failed');
  const { output } = await rig.tuppence('worklist', '--json');
  const items = output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  expect(items).toContainEqual(
    expect.objectContaining({ kind: 'refund_failed', id: call.id, reason: 'wrong_amount' }),
  );
  expect(await statusOf(rig, call)).toMatchObject({ state: 'needs_attention', refund: null });
  expect((await refundByProgram(rig, call, '--cancel', '--yes')).exitCode).toBe(0);
  const hash = await transferOnBase(rig, call.wallet.address, 1_000_000n);
  await refundByTransfer(app, operator, { ...asked(call), transactionHash: hash });
  await mine(rig, 6);
  await expectRefunded(rig, call, hash, null);
  expect((await rig.tuppence('worklist', '--json')).output).not.toContain(call.id);
});

test('a reorganization that takes a refund away is on the worklist until the refund is back', async () => {
  const call = await sell(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const before = await blockNumber(rig);
  const hash = await transferOnBase(rig, call.wallet.address, 5_000n);
  const raw = await onBase<string>(rig, 'eth_getRawTransactionByHash', hash);
  await refundByTransfer(app, operator, { ...asked(call, onRequest), transactionHash: hash });
  await reorganize(rig, before);
  await mine(rig, 4);
  const item = async () => {
    const { output } = await rig.tuppence('worklist', '--json');
    return output.split('\n').find((line) => line.includes(call.id)) ?? '';
  };
  await until('the item', async () => (await item()).includes('"reason":"reorganized"'));
  expect(await item()).toContain('"kind":"refund_unfinished"');
  expect(await statusOf(rig, call)).toMatchObject({ state: 'delivered', refund: { state: 'sent' } });
  await onBase(rig, 'eth_sendRawTransaction', raw);
  await mine(rig, 6);
  await expectRefunded(rig, call, hash, null);
  expect(await item()).toBe('');
});

test('nodes that do not agree, or do not answer, confirm no refund', async () => {
  const call = await sell(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const hash = await transferOnBase(rig, call.wallet.address, 5_000n);
  await mine(rig, 6);
  const two = openOperator(rig, { BASE_RPC_URL: `${rig.chainUrl('base')},${rig.base.url}` });
  const record = () => refundByTransfer(two, operator, { ...asked(call, onRequest), transactionHash: hash });
  const ofRefund = { params: ([asked]: readonly unknown[]) => asked === hash };
  const denied = rig.base.on('eth_getTransactionReceipt', async () => ({ result: null }), ofRefund);
  expect(await problemOf(record())).toBe('nodes_disagree');
  denied.remove();
  const silent = rig.base.on('eth_getTransactionReceipt', async () => ({ fault: 'close' }), ofRefund);
  expect(await problemOf(record())).toBe('network_unavailable');
  silent.remove();
  expect(await refundStates(rig, call)).toEqual([]);
  await record();
  await two.close();
  await expectRefunded(rig, call, hash, null);
});
