import { type PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import type { App } from '@/lib/app';
import type { Refund } from '@/lib/ledger/refund-records';
import { cancelRefund } from '@/lib/operator/refunds/request-refund';
import { recordSent, takeSigned, walletTransfer } from '@/lib/operator/refunds/wallet-refund';
import { systemClock } from '@/lib/platform/clock';
import { rpcCall } from '@/local/json-rpc';
import { listUntil, loseRequest, type Rule } from '../support/rpc-proxy';
import { expect, test } from './fixtures';
import { mine, onBase } from './rig/own-chain';
import { problemOf, shareRefundRig } from './rig/refunding';
import {
  fundTreasury,
  openOperator,
  operator,
  refundStates,
  type SoldCall,
  sendOnSolana,
  signOnSolana,
  solanaTreasury,
  statusOf,
} from './rig/refunds';
import type { Rig } from './rig/rig';
import {
  checkNow,
  expectRefundedOnce,
  passBlockhashes,
  requestRefundOf,
  sendOnBase,
  signedOnBase,
  signedOnSolana,
  soldOn,
} from './rig/wallet-refunds';

/** A refund ends, and another one is signed, only when nothing that a wallet signed for it can be executed any longer. */

let rig: Rig;
let app: App;
/** An app whose clock is three minutes ahead. One of its two Solana nodes can be made to stall. */
let later: App;

shareRefundRig(async (shared) => {
  ({ rig, app } = shared);
  const nodes = [rig.chainUrl('solana-mainnet'), rig.proxy('solana-mainnet').url].join(',');
  const clock = {
    ...systemClock,
    now: () => Date.now() + 180_000,
    date: () => new Date(Date.now() + 180_000),
  };
  later = openOperator(rig, { SOLANA_RPC_URL: nodes }, clock);
  await fundTreasury(rig);
});
test.afterAll(() => later.close());

const request = (call: SoldCall) => requestRefundOf(app, call);
const check = (refund: Refund) => checkNow(app, refund);
const cancel = (by: App, { id }: Refund) => problemOf(cancelRefund(by, operator, id, 'declined'));

/** Sends a transaction with too little gas, so that it fails but publishes the unused authorization. */
async function sendInVain(call: SoldCall) {
  const refund = await request(call);
  const signed = await signedOnBase(rig, app, refund.id);
  await rig.kill();
  const failed = await sendOnBase(rig, rig.treasury.evm, signed, 50_000n);
  await mine(rig);
  expect(await onBase(rig, 'eth_getTransactionReceipt', failed)).toMatchObject({ status: '0x0' });
  await recordSent(app, operator, refund.id, failed);
  await mine(rig, 8);
  return { refund, signed };
}

test('a failed transaction does not end a refund while the payer can send what was signed', async () => {
  const call = await soldOn(rig, 'base');
  const { refund, signed } = await sendInVain(call);
  expect(await check(refund)).toMatchObject({ state: 'sent' });
  expect(await problemOf(request(call))).toBe('refund_open');
  const stranger = await rig.newEvmPayer();
  await onBase(rig, 'anvil_setBalance', stranger.address, '0xde0b6b3a7640000');
  const carried = await sendOnBase(rig, stranger, signed);
  await rig.restart();
  await expectRefundedOnce(rig, call);
  expect((await statusOf(rig, call)).refund).toMatchObject({ transaction: carried });
});

test('a failed transaction ends a refund once the chain no longer takes what was signed', async () => {
  const call = await soldOn(rig, 'base');
  const { refund } = await sendInVain(call);
  // Ten minutes later, by the books.
  await rig.query("UPDATE refund SET signable_until = now() - interval '1 minute' WHERE id = $1", [
    refund.id,
  ]);
  await mine(rig);
  expect(await check(refund)).toMatchObject({ state: 'failed', moveNote: 'transaction_failed' });
  await rig.restart();
});

/** Rules that are removed together. */
function together(rules: readonly Rule[]): Pick<Rule, 'remove'> {
  return {
    remove: () => {
      for (const rule of rules) rule.remove();
    },
  };
}

/** Makes a Solana node stall. */
async function stopSlots() {
  const node = rig.proxy('solana-mainnet');
  const chainUrl = rig.chainUrl('solana-mainnet');
  const still = await Promise.all(
    ['getBlockHeight', 'getEpochInfo'].map(async (method) => {
      const result = await rpcCall(chainUrl, method, []);
      return node.on(method, async () => ({ result }));
    }),
  );
  return together(still);
}

test('on Solana, another transfer is not signed before the blockhash of the first has expired at every node, whatever the clock says', async () => {
  const call = await soldOn(rig, 'solana-mainnet');
  const refund = await request(call);
  const still = await stopSlots();
  const lost = rig.proxy('solana-mainnet').on('sendTransaction', loseRequest);
  const offline = openOperator(rig, { SOLANA_RPC_URL: rig.proxy('solana-mainnet').url });
  await takeSigned(offline, operator, refund.id, await signedOnSolana(rig, offline, refund.id));
  await offline.close();
  lost.remove();
  const sign = () => problemOf(walletTransfer(later, operator, refund.id));
  expect(await sign()).toBe('sent_before');
  expect(await cancel(later, refund)).toBe('treasury_pending');
  await passBlockhashes(rig);
  expect(await sign()).toBe('sent_before');
  expect(await cancel(later, refund)).toBe('treasury_pending');
  still.remove();
  expect(await sign()).toBe('done');
  await takeSigned(app, operator, refund.id, await signedOnSolana(rig, app, refund.id));
  await expectRefundedOnce(rig, call);
});

/** Makes a Solana node answer some requests as of an earlier slot, and others as of now. */
async function lagBehind() {
  const node = rig.proxy('solana-mainnet');
  const slot = (await rpcCall(rig.chainUrl('solana-mainnet'), 'getSlot', [])) as number;
  const rules = [
    node.on('getTransaction', async () => ({ result: null })),
    node.on('getSignatureStatuses', async ({ params: [signatures] }) => ({
      result: { context: { slot }, value: (signatures as string[]).map(() => null) },
    })),
    listUntil(node, slot),
  ];
  return together(rules);
}

test('on Solana, a transfer is not sent while the node that tells how long it may land is behind the one that checked it', async () => {
  const call = await soldOn(rig, 'solana-mainnet');
  const refund = await request(call);
  const signed = await signedOnSolana(rig, app, refund.id);
  const slot = (await rpcCall(rig.chainUrl('solana-mainnet'), 'getSlot', [])) as number;
  const node = rig.proxy('solana-mainnet');
  const lagging = node.on('getBlockHeight', async ({ params: [config] }, forward) =>
    Number((config as { minContextSlot?: number }).minContextSlot) >= slot
      ? { error: { code: -32016, message: 'Minimum context slot has not been reached' } }
      : forward(),
  );
  const behind = openOperator(rig, { SOLANA_RPC_URL: node.url });
  expect(await problemOf(takeSigned(behind, operator, refund.id, signed))).toBe('network_unavailable');
  expect(await refundStates(rig, call)).toEqual(['requested']);
  lagging.remove();
  await takeSigned(behind, operator, refund.id, signed);
  await behind.close();
  await expectRefundedOnce(rig, call);
});

test('on Solana, a refund that was carried out is neither signed again nor cancelled because a node lags behind another of its address', async () => {
  const call = await soldOn(rig, 'solana-mainnet');
  const refund = await request(call);
  await rig.kill();
  const lagging = await lagBehind();
  const behind = openOperator(rig, { SOLANA_RPC_URL: rig.proxy('solana-mainnet').url });
  try {
    await takeSigned(app, operator, refund.id, await signedOnSolana(rig, app, refund.id));
    await passBlockhashes(rig);
    expect(await problemOf(walletTransfer(behind, operator, refund.id))).toBe('nodes_disagree');
    expect(await cancel(behind, refund)).toBe('nodes_disagree');
  } finally {
    lagging.remove();
    await behind.close();
  }
  await rig.restart();
  await expectRefundedOnce(rig, call);
});

test('on Solana, a refund that a wallet carried out and nobody reported is not cancelled because a node that lags behind lists no transaction', async () => {
  const call = await soldOn(rig, 'solana-mainnet');
  const refund = await request(call);
  await rig.kill();
  const slot = (await rpcCall(rig.chainUrl('solana-mainnet'), 'getSlot', [])) as number;
  const lagging = listUntil(rig.proxy('solana-mainnet'), slot);
  const behind = openOperator(rig, { SOLANA_RPC_URL: rig.proxy('solana-mainnet').url });
  try {
    const asking = await walletTransfer(app, operator, refund.id);
    if (asking.family !== 'solana') throw new Error('not on Solana');
    await sendOnSolana(rig, asking.transaction);
    await passBlockhashes(rig);
    expect(await cancel(behind, refund)).toBe('network_unavailable');
  } finally {
    lagging.remove();
    await behind.close();
  }
  await rig.restart();
  await expectRefundedOnce(rig, call);
});

test('on Solana, a refund is not cancelled before the blockhash has expired that a wallet was asked to sign', async () => {
  const call = await soldOn(rig, 'solana-mainnet');
  const refund = await request(call);
  const still = await stopSlots();
  await signedOnSolana(rig, app, refund.id);
  expect(await cancel(later, refund)).toBe('treasury_pending');
  await passBlockhashes(rig);
  expect(await cancel(later, refund)).toBe('treasury_pending');
  still.remove();
  expect(await cancel(later, refund)).toBe('done');
  expect(await refundStates(rig, call)).toEqual(['cancelled']);
});

test('on Solana, a transfer that never expires because the wallet made it depend on a nonce is not taken', async () => {
  const call = await soldOn(rig, 'solana-mainnet');
  const refund = await request(call);
  const asking = await walletTransfer(app, operator, refund.id);
  if (asking.family !== 'solana') throw new Error('not on Solana');
  const transaction = signOnSolana(rig, withNonce(asking.transaction, solanaTreasury(rig).publicKey));
  expect(await problemOf(takeSigned(app, operator, refund.id, { family: 'solana', transaction }))).toBe(
    'wallet_changed_transfer',
  );
});

/** Makes a transaction depend on a nonce account, as wallets that sign offline do. */
function withNonce(base64: string, owner: PublicKey): string {
  const message = TransactionMessage.decompile(
    VersionedTransaction.deserialize(Buffer.from(base64, 'base64')).message,
  );
  const advance = SystemProgram.nonceAdvance({ noncePubkey: owner, authorizedPubkey: owner });
  const instructions = [advance, ...message.instructions];
  const changed = new TransactionMessage({ ...message, instructions }).compileToV0Message();
  return Buffer.from(new VersionedTransaction(changed).serialize()).toString('base64');
}
