import { expect } from '@playwright/test';
import { createWalletClient, type Hex, http, type PrivateKeyAccount } from 'viem';
import { base } from 'viem/chains';
import type { App } from '@/lib/app';
import { findRefund, type Refund } from '@/lib/ledger/refund-records';
import { checkRefund } from '@/lib/operator/refunds/follow';
import { requestRefund } from '@/lib/operator/refunds/request-refund';
import { takeSigned, walletTransfer } from '@/lib/operator/refunds/wallet-refund';
import { rpcCall } from '@/local/json-rpc';
import { mine } from './own-chain';
import { asked } from './refunding';
import { makeFinal, operator, refundStates, type SoldCall, sell, signOnSolana, statusOf } from './refunds';
import type { Rig } from './rig';
import { until } from './waiting';

/** Requests a refund of a call that was bought twice. */
export function requestRefundOf(app: App, call: SoldCall): Promise<Refund> {
  return requestRefund(app, operator, asked(call, { reason: 'duplicate' }));
}

/** Checks a refund as the job does. */
export async function checkNow(app: App, { id }: Refund): Promise<Refund> {
  const refund = await findRefund(app, id);
  if (!refund) throw new Error('there is no such refund');
  return checkRefund(app, refund);
}

/** A sold call whose payment is final. */
export async function soldOn(rig: Rig, network: 'base' | 'solana-mainnet'): Promise<SoldCall> {
  const wallet = network === 'base' ? await rig.newEvmPayer() : await rig.newSolanaPayer();
  const call = await sell(rig, wallet);
  await makeFinal(rig, call);
  return call;
}

/** Waits until the last refund of a call is confirmed. */
export async function untilRefunded(rig: Rig, call: SoldCall): Promise<string[]> {
  await mine(rig, 8);
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [40]);
  await until('a refunded call', async () => (await statusOf(rig, call)).state === 'refunded');
  return refundStates(rig, call);
}

/** Expects that the last refund is confirmed, and that the audit finds no other transfer to the payer. */
export async function expectRefundedOnce(rig: Rig, call: SoldCall): Promise<void> {
  expect((await untilRefunded(rig, call)).at(-1)).toBe('confirmed');
  expect(await rig.audit()).toEqual([]);
}

/** The authorization that the treasury's wallet on base signs, and the transaction that executes it. */
export async function signedOnBase(rig: Rig, app: App, refundId: string) {
  const toSign = await walletTransfer(app, operator, refundId);
  if (toSign.family !== 'evm') throw new Error('not on EVM');
  const signature = await signTyped(rig.treasury.evm, toSign.typedData);
  const { validBefore } = toSign;
  const taken = await takeSigned(app, operator, refundId, { family: 'evm', signature, validBefore });
  if (taken.family !== 'evm') throw new Error('not on EVM');
  return { ...taken, toSign, signature };
}

export function signTyped(account: PrivateKeyAccount, typedData: object): Promise<Hex> {
  const typed = structuredClone(typedData) as Parameters<typeof account.signTypedData>[0];
  return account.signTypedData(typed);
}

/** Sends a transaction on base without waiting for a block. */
export async function sendOnBase(
  rig: Rig,
  account: PrivateKeyAccount,
  { to, data }: { to: Hex; data: Hex },
  gas = 200_000n,
): Promise<Hex> {
  const client = createWalletClient({ account, chain: base, transport: http(rig.chainUrl('base')) });
  return client.sendTransaction({ to, data, gas });
}

/** The transaction that the treasury's wallet on Solana signs. */
export async function signedOnSolana(rig: Rig, app: App, refundId: string) {
  const toSign = await walletTransfer(app, operator, refundId);
  if (toSign.family !== 'solana') throw new Error('not on Solana');
  return { family: 'solana', transaction: signOnSolana(rig, toSign.transaction) } as const;
}

/** Advances the slots until earlier blockhashes are no longer valid. */
export async function passBlockhashes(rig: Rig): Promise<void> {
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [250]);
}
