import { randomUUID } from 'node:crypto';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { App } from '@/lib/app';
import { readWorklist } from '@/lib/ledger/worklist';
import { findRefundable } from '@/lib/operator/refunds/refundable';
import { refundByTransfer, refundIntoAccount, requestRefund } from '@/lib/operator/refunds/request-refund';
import { collectingTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { openAccount } from './rig/accounts';
import {
  buy,
  channelClient,
  channelOf,
  signTotal,
  startChannelRig,
  type VoucherRequest,
} from './rig/channels';
import { callsOf } from './rig/found';
import { mine } from './rig/own-chain';
import { asked, expectRefunded, problemOf } from './rig/refunding';
import { openOperator, operator, transferOnBase } from './rig/refunds';
import { ask, type SignedRequest } from './rig/requests';
import type { Rig } from './rig/rig';
import { isTransaction } from './rig/strangers';
import { until } from './rig/waiting';

// Refunds of calls that a payment channel paid for. An upload costs 5,000, a search 10,000.

test.describe.configure({ mode: 'default' });

let rig: Rig;
let app: App;
test.beforeAll(async () => {
  rig = await startChannelRig({
    timings: collectingTimings,
    hasOwnBase: true,
    settings: { FINALITY_BLOCKS: 'base=5' },
  });
  app = openOperator(rig);
});
test.afterAll(async () => {
  await app.close();
  await rig.close();
});

/** A voucher with an idempotency key, so that its answer can be requested even when the voucher is public. */
async function signWithKey(
  payer: PrivateKeyAccount,
  total: bigint,
  order: { readonly path?: string; readonly body?: string } = {},
): Promise<VoucherRequest & SignedRequest> {
  const { path = '/uploads', body } = order;
  const headers = { 'Idempotency-Key': randomUUID() };
  const request = await signTotal(rig, payer, { total, url: `${rig.apiUrl}/v1${path}`, body, headers });
  return {
    ...request,
    payer: payer.address,
    network: 'channel',
    rail: 'x402',
    priceAtomic: BigInt(request.envelope.accepted.amount),
    authorization: `${(request.envelope.payload as { voucher: { channelId: string } }).voucher.channelId}:${total}`,
  };
}

/** Kills the server between the charge of a search and its answer. The client never retries. */
async function abandonSearch(payer: PrivateKeyAccount, request: SignedRequest): Promise<{ id: string }> {
  const stopped = new Promise<void>((resolve) => {
    rig.database.intercept((statement) =>
      statement.includes('answer_status = asked.status')
        ? async ({ end }) => {
            resolve();
            end();
          }
        : null,
    );
  });
  const lost = ask(request).catch(() => null);
  await stopped;
  await rig.kill();
  await lost;
  rig.database.intercept(null);
  const call = (await callsOf(rig, payer.address)).find(({ state }) => state === 'settled');
  if (!call) throw new Error('the search was not charged');
  await rig.query(
    "UPDATE paid_call SET moved_at = moved_at - interval '1 day', attempt_at = now() WHERE id = $1",
    [call.id],
  );
  await rig.passTakeoverTime();
  return call;
}

const mayBeRefunded = (call: { id: string }) =>
  until('the claim to be final', async () => (await findRefundable(app, call.id))?.problem === null);

test('a search that was charged and never answered is refunded once its claim is final, and once', async () => {
  const payer = await rig.newEvmPayer();
  await buy(rig, channelClient(rig, payer).fetch);
  const request = await signWithKey(payer, 15_000n, {
    path: '/neural/search',
    body: JSON.stringify({ query: 'never answered' }),
  });
  const { id } = await abandonSearch(payer, request);
  const call = { id, request };
  const held = rig.base.hold('eth_sendRawTransaction', 'before', { params: isTransaction });
  await rig.start();
  await until('the end of its day', async () =>
    (await callsOf(rig, payer.address)).some((row) => row.id === id && row.state === 'needs_attention'),
  );
  const retried = await ask(request);
  expect([retried.status, retried.body.error.code]).toEqual([503, 'delivery_needs_attention']);

  const account = await openAccount(rig);
  const into = { ...asked(call), accountId: account.accountId };
  await held.reached;
  const refused = await Promise.allSettled([
    refundIntoAccount(app, operator, into),
    requestRefund(app, operator, asked(call)),
  ]);
  for (const refund of refused) {
    const message = String(refund.status === 'rejected' ? refund.reason : 'done');
    expect(message).toContain('The payment is not final yet.');
    expect(message).toContain('when the price is claimed and the claim is final');
  }
  expect(await problemOf(refundIntoAccount(app, operator, into))).toBe('payment_not_final');
  expect(await readWorklist(app, 100)).toMatchObject([{ kind: 'needs_attention', id }]);

  held.release();
  await mayBeRefunded(call);
  const hash = await transferOnBase(rig, payer.address, 10_000n);
  await mine(rig, 8);
  await refundByTransfer(app, operator, { ...asked(call), transactionHash: hash });
  await expectRefunded(rig, call, hash, null);
  expect(await readWorklist(app, 100)).toEqual([]);
  expect(await problemOf(refundIntoAccount(app, operator, into))).toBe('already_refunded');
  const again = { ...asked(call), transactionHash: await transferOnBase(rig, payer.address, 9_999n) };
  expect(await problemOf(refundByTransfer(app, operator, again))).toBe('already_refunded');
  // The channel can still be used.
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 15_000, claimed: 15_000 });
  await buy(rig, channelClient(rig, payer).fetch);
  expect(await rig.audit()).toEqual([]);
});
