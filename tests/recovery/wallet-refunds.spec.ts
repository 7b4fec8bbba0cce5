import { randomBytes } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import type { App } from '@/lib/app';
import { cancelRefund } from '@/lib/operator/refunds/request-refund';
import { recordSent, takeSigned, walletTransfer } from '@/lib/operator/refunds/wallet-refund';
import { expect, test } from './fixtures';
import { mine, onBase } from './rig/own-chain';
import { problemOf, shareRefundRig } from './rig/refunding';
import { fundTreasury, openOperator, operator, type SoldCall, statusOf } from './rig/refunds';
import type { Rig } from './rig/rig';
import {
  expectRefundedOnce,
  requestRefundOf,
  sendOnBase,
  signedOnBase,
  signedOnSolana,
  signTyped,
  soldOn,
} from './rig/wallet-refunds';

/** Refunds that the treasury's wallet signs, step by step: whatever is signed and sent, the money goes back once. */

let rig: Rig;
let app: App;

shareRefundRig(async (shared) => {
  ({ rig, app } = shared);
  await fundTreasury(rig);
});

const request = (call: SoldCall) => requestRefundOf(app, call);

test('on base, the token carries out one of several transactions that the wallet signs and sends for a call', async () => {
  const call = await soldOn(rig, 'base');
  const refund = await request(call);
  const first = await signedOnBase(rig, app, refund.id);
  expect(first.toSign).toMatchObject({
    chainId: 8453,
    from: rig.payTo.evm,
    typedData: { message: { from: rig.payTo.evm, to: call.wallet.address, value: '5000' } },
  });
  const second = await signedOnBase(rig, app, refund.id);
  // A signature for another call, by another key, or for longer than requested is not accepted.
  const stranger = await rig.newEvmPayer();
  const { validBefore } = first.toSign;
  const signature = await signTyped(stranger, first.toSign.typedData);
  const wrong = { family: 'evm', signature, validBefore } as const;
  expect(await problemOf(takeSigned(app, operator, refund.id, wrong))).toBe('not_signed_by_treasury');
  const late = { ...wrong, signature: first.signature, validBefore: validBefore + 3_600 };
  expect(await problemOf(takeSigned(app, operator, refund.id, late))).toBe('wallet_changed_transfer');

  const hash = await sendOnBase(rig, rig.treasury.evm, first);
  expect(await recordSent(app, operator, refund.id, hash)).toMatchObject({ state: 'sent' });
  await mine(rig);
  expect(await problemOf(walletTransfer(app, operator, refund.id))).toBe('in_a_block');
  const again = await sendOnBase(rig, rig.treasury.evm, second);
  await mine(rig);
  expect(await onBase(rig, 'eth_getTransactionReceipt', again)).toMatchObject({ status: '0x0' });
  expect(await problemOf(recordSent(app, operator, refund.id, again))).toBe('in_a_block');
  await expectRefundedOnce(rig, call);
});

test('a signed refund that somebody else sent first is the refund, and not the wallet’s own failed transaction', async () => {
  const call = await soldOn(rig, 'base');
  const refund = await request(call);
  const signed = await signedOnBase(rig, app, refund.id);
  const stranger = await rig.newEvmPayer();
  await onBase(rig, 'anvil_setBalance', stranger.address, '0xde0b6b3a7640000');
  const carried = await sendOnBase(rig, stranger, signed);
  await mine(rig);
  const failed = await sendOnBase(rig, rig.treasury.evm, signed);
  // The server may already have found the transaction by then.
  expect(['done', 'in_a_block']).toContain(await problemOf(recordSent(app, operator, refund.id, failed)));
  await expectRefundedOnce(rig, call);
  expect((await statusOf(rig, call)).refund).toMatchObject({ state: 'confirmed', transaction: carried });
});

test('a refund is not cancelled while a wallet may still send it, and what it signed then is worth nothing later', async () => {
  const call = await soldOn(rig, 'base');
  const refund = await request(call);
  const first = await signedOnBase(rig, app, refund.id);
  const cancelling = () => problemOf(cancelRefund(app, operator, refund.id, 'declined'));
  expect(await cancelling()).toBe('wallet_may_send');
  // Ten minutes later, by the books. For the chain the signature is still good.
  await rig.query("UPDATE refund SET signable_until = now() - interval '1 minute' WHERE id = $1", [
    refund.id,
  ]);
  await mine(rig);
  expect(await cancelling()).toBe('done');
  expect(await problemOf(walletTransfer(app, operator, refund.id))).toBe('refund_over');
  const next = await request(call);
  const second = await signedOnBase(rig, app, next.id);
  await recordSent(app, operator, next.id, await sendOnBase(rig, rig.treasury.evm, second));
  await mine(rig);
  const late = await sendOnBase(rig, rig.treasury.evm, first);
  await mine(rig);
  expect(await onBase(rig, 'eth_getTransactionReceipt', late)).toMatchObject({ status: '0x0' });
  await expectRefundedOnce(rig, call);
});

test('on Solana, one of two signatures is recorded and sent; after a lost broadcast another can be', async () => {
  const call = await soldOn(rig, 'solana-mainnet');
  const refund = await request(call);
  const signed = () => signedOnSolana(rig, app, refund.id);
  const other = openOperator(rig);
  const asked = await walletTransfer(app, operator, refund.id);
  if (asked.family !== 'solana') throw new Error('not on Solana');
  const unsigned = { family: 'solana', transaction: asked.transaction } as const;
  expect(await problemOf(takeSigned(app, operator, refund.id, unsigned))).toBe('not_signed_by_treasury');
  const [one, two] = [await signed(), await signed()];
  // This transaction never reaches the chain.
  await rig.query("UPDATE refund SET state = 'sent', transaction_hash = $2 WHERE id = $1", [
    refund.id,
    getBase58Decoder().decode(randomBytes(64)),
  ]);
  expect(await problemOf(takeSigned(app, operator, refund.id, one))).toBe('sent_before');
  await rig.query("UPDATE refund SET moved_at = now() - interval '3 minutes' WHERE id = $1", [refund.id]);
  const tried = await Promise.all([
    problemOf(takeSigned(app, operator, refund.id, one)),
    problemOf(takeSigned(other, operator, refund.id, two)),
  ]);
  await other.close();
  expect(tried.filter((result) => result === 'done')).toHaveLength(1);
  for (const result of tried)
    expect(['done', 'refund_changed', 'sent_before', 'in_a_block']).toContain(result);
  await expectRefundedOnce(rig, call);
});
