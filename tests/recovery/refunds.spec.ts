import { expect } from '@playwright/test';
import type { App } from '@/lib/app';
import { refundRequest } from '@/lib/operator/refunds/examine';
import { recordSent, requestRefund, walletTransfer } from '@/lib/operator/refunds/request';
import { startEvmChain } from '@/local/evm/chain';
import { rpcCall } from '@/local/json-rpc';
import { test as recoveryTest } from './fixtures';
import { mine, onBase } from './rig/own-chain';
import {
  makeFinal,
  openOperator,
  operator,
  type SoldCall,
  sell,
  sellInVain,
  sendOnSolana,
  statusOf,
  transferOnBase,
} from './rig/refunds';
import { ask } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';

let rig: Rig;
let app: App;
const ends: (() => Promise<unknown>)[] = [];

const test = recoveryTest;
test.setTimeout(90_000);
// One server and two chains for all of them.
test.describe.configure({ mode: 'default' });

test.beforeAll(async () => {
  const chain = await startEvmChain({ chainId: 8453 });
  rig = await startRig({
    networks: ['base', 'solana-mainnet'],
    baseRpcUrl: chain.rpcUrl,
    hasOwnSolana: true,
    settings: { BASE_FINALITY_BLOCKS: '5' },
  });
  app = openOperator(rig);
  ends.push(() => app.close(), rig.close, chain.stop);
});
test.afterAll(async () => {
  for (const end of ends) await end();
});
test.beforeEach(() => rig.ready());

/** Asks for a refund of a call as the console does. */
function asked(call: Pick<SoldCall, 'id'>, more: { reason?: string; note?: string } = {}) {
  return refundRequest.parse({ paidCallId: call.id, ...more });
}

const onRequest = { reason: 'requested_by_caller' } as const;

async function _problemOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'done',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
}

/** The call is refunded, its caller sees it, a retry is not charged, and the books agree with the chains. */
async function expectRefunded(call: SoldCall, transaction: string | null, accountId: string | null) {
  await until('a refunded call', async () => (await statusOf(rig, call)).state === 'refunded');
  const status = await statusOf(rig, call);
  expect(status).toMatchObject({
    payment: 'refunded',
    retry: 'stop',
    refund: {
      state: 'confirmed',
      amount: status.price,
      currency: 'USDC',
      network: accountId === null ? status.network : 'account',
      transaction,
      accountId,
    },
  });
  const retried = await ask(call.request);
  expect(retried.status).toBe(410);
  expect(retried.body.error).toMatchObject({
    code: 'call_refunded',
    payment: 'refunded',
    retry: 'stop',
    paidCallId: call.id,
  });
  const confirmed = await rig.query("SELECT FROM refund WHERE paid_call_id = $1 AND state = 'confirmed'", [
    call.id,
  ]);
  expect(confirmed).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
}

test('a refund signed in the treasury wallet on base is recorded before it is signed, and counts when it is final', async () => {
  const call = await sell(rig, await rig.newEvmPayer());
  await makeFinal(rig, call);
  const { refund, transfer } = await requestRefund(app, operator, asked(call, onRequest));
  expect(refund).toMatchObject({ state: 'requested', recipient: call.wallet.address, amountAtomic: 5_000n });
  expect(await statusOf(rig, call)).toMatchObject({ state: 'delivered', refund: null });
  if (transfer.family !== 'evm') throw new Error('not on EVM');
  expect(transfer).toMatchObject({ chainId: 8453, from: rig.payTo.evm });
  const hash = await transferOnBase(rig, call.wallet.address, 5_000n);
  const { input } = await onBase<{ input: string }>(rig, 'eth_getTransactionByHash', hash);
  expect(transfer.data).toBe(input);
  expect(await recordSent(app, operator, refund.id, hash)).toMatchObject({ state: 'sent' });
  expect(await statusOf(rig, call)).toMatchObject({
    state: 'delivered',
    refund: { state: 'sent', transaction: hash },
  });
  // Until it is final the sale stands.
  expect((await ask(call.request)).body).toEqual(call.answer.body);
  await mine(rig, 6);
  await expectRefunded(call, hash, null);
});

test('a refund signed in the treasury wallet on Solana names itself in a memo', async () => {
  const call = await sellInVain(rig, await rig.newSolanaPayer());
  await makeFinal(rig, call);
  const { refund } = await requestRefund(app, operator, asked(call));
  const transfer = await walletTransfer(app, refund);
  if (transfer.family !== 'solana') throw new Error('not on Solana');
  const signature = await sendOnSolana(rig, transfer.transaction);
  const [record] = (await rpcCall(rig.chainUrl('solana-mainnet'), 'getSignaturesForAddress', [
    rig.payTo.solana,
    { limit: 1 },
  ])) as { memo: string | null }[];
  expect(record?.memo).toContain(refund.id);
  await recordSent(app, operator, refund.id, signature);
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [40]);
  await expectRefunded(call, signature, null);
});
