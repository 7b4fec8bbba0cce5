import { expect } from '@playwright/test';
import { Credential } from 'mppx';
import type { Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { topUpUsdc } from '@/local/evm/funding';
import { everyType } from '../../support/forms';
import type { Authorization } from '../../support/lies';
import { callsOf, transfersOf } from './found';
import { type Answer, ask, type SignedRequest, sign, signMpp, type X402Request } from './requests';
import type { Rig } from './rig';
import { submitAsStranger, usdc } from './strangers';

/** Forms whose payment is refused because the money is spent before its block. */

export const aForm = { path: '/forms', body: JSON.stringify(everyType) };
const lacking = 'invalid_exact_evm_insufficient_balance';
export const rails = ['x402', 'mpp'] as const;

export function withKey<Request extends SignedRequest>(request: Request, key: string): Request {
  const headers = { ...request.init.headers, 'Idempotency-Key': key };
  return { ...request, init: { ...request.init, headers } };
}

export const signForm = {
  x402: (rig: Rig, wallet: PrivateKeyAccount) => sign(rig, wallet, aForm),
  mpp: (rig: Rig, wallet: PrivateKeyAccount) => signMpp(rig, wallet, aForm),
};

export const refill = (rig: Rig, wallet: PrivateKeyAccount) =>
  topUpUsdc(rig.chainUrl('base'), usdc, [wallet.address], 10_000_000n, 10_000_000n);

/** Gets a request refused by spending the money before its block. */
export async function refuse(
  rig: Rig,
  wallet: PrivateKeyAccount,
  request: SignedRequest,
  earlierCalls = 0,
): Promise<Answer> {
  const carries = ([raw]: readonly unknown[]) => String(raw).includes(wallet.address.slice(2).toLowerCase());
  const held = rig.base.hold('eth_sendRawTransaction', 'before', { params: carries });
  const answer = ask(request);
  await held.reached;
  await rig.drain(wallet);
  held.release();
  const refused = await answer;
  expect(refused.status).toBe(402);
  const calls = await callsOf(rig, wallet.address);
  expect(calls.slice(earlierCalls)).toMatchObject([{ state: 'refused', refusal_reason: lacking }]);
  return refused;
}

/** A form requested by a new wallet under a key, whose payment was refused. */
export async function refusedForm<Request extends SignedRequest>(
  rig: Rig,
  signNew: (rig: Rig, wallet: PrivateKeyAccount) => Promise<Request>,
) {
  const wallet = await rig.newEvmPayer();
  const signAgain = async () => withKey(await signNew(rig, wallet), 'mine');
  const request = await signAgain();
  const refused = await refuse(rig, wallet, request);
  return { wallet, request, refused, signAgain };
}

/** Submits the authorization of a request, which has been public since its broadcast. */
export function submit(rig: Rig, request: SignedRequest): Promise<Hex> {
  if ('envelope' in request) return submitAsStranger(rig, request as X402Request);
  const { payload } = Credential.deserialize<Authorization & { signature: Hex }>(
    request.init.headers.Authorization ?? '',
  );
  const { signature, ...authorization } = payload;
  return submitAsStranger(rig, { envelope: { payload: { authorization, signature } } });
}

export async function expectFormOnce(
  rig: Rig,
  answer: Answer,
  payer: string,
  transaction?: Hex,
): Promise<void> {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body.readToken).toMatch(/^frt_/);
  const transfers = await transfersOf(rig, payer);
  expect(transfers).toHaveLength(1);
  if (transaction) expect(transfers).toEqual([transaction]);
  const calls = await callsOf(rig, payer);
  expect(calls).toMatchObject([{ state: 'delivered', transaction_hash: transfers[0] }]);
  const forms = await rig.query('SELECT id FROM form WHERE paid_call_id = $1', [calls[0]?.id]);
  expect(forms).toEqual([{ id: answer.body.id }]);
  const read = await fetch(answer.body.responsesUrl, {
    headers: { Authorization: `Bearer ${answer.body.readToken}` },
  });
  expect(read.status).toBe(200);
  expect(await rig.audit()).toEqual([]);
}

export async function statusOf(rig: Rig, payer: string): Promise<Record<string, unknown>> {
  const [call] = await callsOf(rig, payer);
  const { state, payment, retry } = await (await fetch(`${rig.apiUrl}/v1/paid-calls/${call?.id}`)).json();
  return { state, payment, retry };
}
