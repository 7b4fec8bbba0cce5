import type { Hex } from 'viem';
import type { App } from '@/lib/app';
import type { Refund } from '@/lib/ledger/refund-records';
import { refundByTransfer } from '@/lib/operator/refunds/request-refund';
import { recordSent } from '@/lib/operator/refunds/wallet-refund';
import { expect, test } from './fixtures';
import { mine, onBase, stopMining } from './rig/own-chain';
import { asked, problemOf, shareRefundRig } from './rig/refunding';
import { fundTreasury, makeFinal, operator, type SoldCall, sell, statusOf } from './rig/refunds';
import type { Rig } from './rig/rig';
import { usdc } from './rig/strangers';
import { sendUsdc } from './rig/treasury';
import { checkNow, requestRefundOf, sendOnBase, signedOnBase, untilRefunded } from './rig/wallet-refunds';

/** Two calls of one payer at the same price, both refunded: each refund has its own transaction, whichever is checked first. */

let rig: Rig;
let app: App;

shareRefundRig(async (shared) => {
  ({ rig, app } = shared);
  await fundTreasury(rig);
});
test.afterEach(() => onBase(rig, 'evm_setAutomine', true));

/**
 * Sells two calls to one wallet, and then stops the server, so that the test decides when each refund is checked and when
 * a block is mined.
 */
async function sellTwo(): Promise<readonly [SoldCall, SoldCall]> {
  const wallet = await rig.newEvmPayer();
  const calls = [await sell(rig, wallet), await sell(rig, wallet)] as const;
  for (const call of calls) await makeFinal(rig, call);
  await rig.kill();
  await stopMining(rig);
  return calls;
}

const request = (call: SoldCall) => requestRefundOf(app, call);
const check = (refund: Refund) => checkNow(app, refund);

/** Sends the transfer that the wallet signs for a refund. */
async function sendSigned(refund: Refund): Promise<Hex> {
  return sendOnBase(rig, rig.treasury.evm, await signedOnBase(rig, app, refund.id));
}

/** Sends the price to the payer in a plain transfer, as a wallet that does not sign authorizations would. */
function sendPlain({ wallet }: SoldCall): Promise<Hex> {
  return sendUsdc({ rpcUrl: rig.chainUrl('base'), usdc }, rig.treasury.evm, wallet.address as Hex, 5_000n);
}

/** Starts the server again, and expects both refunds to be confirmed with these transactions and nothing else sent to the payer. */
async function expectBothRefunded(calls: readonly SoldCall[], hashes: readonly Hex[]): Promise<void> {
  await rig.restart();
  for (const call of calls) expect((await untilRefunded(rig, call)).at(-1)).toBe('confirmed');
  const refunds = await Promise.all(calls.map(async (call) => (await statusOf(rig, call)).refund));
  expect(refunds).toMatchObject(hashes.map((transaction) => ({ state: 'confirmed', transaction })));
  expect(await rig.audit()).toEqual([]);
}

test('a refund whose transaction waits for a block does not take that of another refund', async () => {
  const calls = await sellTwo();
  const [one, two] = [await request(calls[0]), await request(calls[1])];
  const first = await sendSigned(one);
  await mine(rig);
  const second = await sendSigned(two);
  await recordSent(app, operator, one.id, first);
  await recordSent(app, operator, two.id, second);
  expect(await check(two)).toMatchObject({ state: 'sent', transactionHash: second });
  expect(await check(one)).toMatchObject({ state: 'sent', transactionHash: first });
  await mine(rig, 8);
  await expectBothRefunded(calls, [first, second]);
});

test('a search does not take a transfer that the wallet signed for another call and has not told of', async () => {
  const calls = await sellTwo();
  const [one, two] = [await request(calls[0]), await request(calls[1])];
  const first = await sendSigned(one);
  await mine(rig);
  expect(await check(two)).toMatchObject({ state: 'requested' });
  const second = await sendSigned(two);
  await mine(rig);
  expect(await check(one)).toMatchObject({ transactionHash: first });
  expect(await check(two)).toMatchObject({ transactionHash: second });
  await mine(rig, 8);
  await expectBothRefunded(calls, [first, second]);
});

test('while the transaction of a refund waits for a block, a transfer without an authorization is not taken for it', async () => {
  const calls = await sellTwo();
  const [one, two] = [await request(calls[0]), await request(calls[1])];
  const first = await sendPlain(calls[0]);
  await mine(rig);
  const second = await sendPlain(calls[1]);
  await recordSent(app, operator, two.id, second);
  expect(await check(two)).toMatchObject({ transactionHash: second });
  await recordSent(app, operator, one.id, first);
  await mine(rig, 8);
  await expectBothRefunded(calls, [first, second]);
});

test('a refund that names the transaction of another one gets its own before it would fail', async () => {
  const calls = await sellTwo();
  const [one, two] = [await request(calls[0]), await request(calls[1])];
  const first = await sendSigned(one);
  const second = await sendSigned(two);
  await mine(rig);
  await recordSent(app, operator, one.id, first);
  await recordSent(app, operator, two.id, first);
  await check(one);
  await mine(rig, 8);
  expect(await check(two)).toMatchObject({ state: 'sent', transactionHash: second });
  await expectBothRefunded(calls, [first, second]);
});

test('a transaction that a refund names is not recorded for another call before its transfer was read', async () => {
  const calls = await sellTwo();
  const one = await request(calls[0]);
  const first = await sendPlain(calls[0]);
  await recordSent(app, operator, one.id, first);
  await mine(rig);
  const record = (transactionHash: Hex) =>
    refundByTransfer(app, operator, { ...asked(calls[1], { reason: 'duplicate' }), transactionHash });
  expect(await problemOf(record(first))).toBe('transfer_used');
  const second = await sendPlain(calls[1]);
  await mine(rig);
  await record(second);
  await mine(rig, 8);
  await expectBothRefunded(calls, [first, second]);
});
