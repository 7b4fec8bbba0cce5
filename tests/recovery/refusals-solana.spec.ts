import { rpcCall } from '@/local/json-rpc';
import { submitTransaction } from '../support/solana-envelopes';
import { expect, test } from './fixtures';
import { callsOf, transfersOf } from './rig/found';
import { aForm, withKey } from './rig/refused-forms';
import { type Answer, ask, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

/** Refused Solana payments. Until the blockhash expires, anyone who has seen the transaction can still submit it. */

test.setTimeout(120_000);

/** Two Solana payments out of an account that holds one of them: the second is refused. */
async function refuseOnSolana(rig: Rig) {
  const solana = rig.proxy('solana-mainnet');
  const wallet = await rig.newSolanaPayer(10_000n);
  const first = await sign(rig, wallet, aForm);
  const request = withKey(await sign(rig, wallet, aForm), 'mine');
  const asked = solana.count('getTokenAccountBalance');
  const held = solana.hold('sendTransaction', 'before', { times: 1 });
  const paid = ask(first);
  await held.reached;
  const answer = ask(request);
  await until('a look at the balance', async () => solana.count('getTokenAccountBalance') > asked);
  held.release();
  expect((await paid).status).toBe(200);
  const refused = await answer;
  expect([refused.status, refused.body.error]).toEqual([402, 'insufficient_funds']);
  const refillSolana = () =>
    rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_setTokenBalance', [wallet.address, '10000']);
  return { wallet, request, refillSolana };
}

async function expectSecondFormOnce(rig: Rig, answer: Answer, payer: string): Promise<void> {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body.readToken).toMatch(/^frt_/);
  expect((await callsOf(rig, payer)).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  expect(await transfersOf(rig, payer)).toHaveLength(2);
  expect(await rig.audit()).toEqual([]);
}

test('the same request submits a refused Solana payment once the money is back, and only once', async ({
  rig,
}) => {
  const { wallet, request, refillSolana } = await refuseOnSolana(rig);
  expect((await ask(request)).status).toBe(402);
  await refillSolana();
  const [answer, other] = await Promise.all([ask(request), ask(request)]);
  await expectSecondFormOnce(rig, answer, wallet.address);
  expect(other.body).toEqual(answer.body);
});

test('a refused Solana payment that is later submitted elsewhere is found by the same request, and by a fresh one under its key', async ({
  rig,
}) => {
  const { wallet, request, refillSolana } = await refuseOnSolana(rig);
  await refillSolana();
  // Anyone who has the transaction with both signatures can submit it.
  const { SETTLEMENT_KEY_SOLANA = '' } = rig.serverEnv;
  await submitTransaction(request.envelope, SETTLEMENT_KEY_SOLANA, rig.chainUrl('solana-mainnet'));
  const fresh = withKey(await sign(rig, wallet, aForm), 'mine');
  const answer = await ask(fresh);
  await expectSecondFormOnce(rig, answer, wallet.address);
  expect((await ask(request)).body).toEqual(answer.body);
});
