import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { paymentHeader } from '../support/buyer';
import { minimalHtml } from '../support/pdf';
import { expect, test } from './fixtures';
import { callsOf, transfersOf } from './rig/found';
import {
  aForm,
  expectFormOnce,
  rails,
  refill,
  refuse,
  refusedForm,
  signForm,
  statusOf,
  submit,
  withKey,
} from './rig/refused-forms';
import { ask, sign, type X402Request } from './rig/requests';
import { cancellation, transact, untilFinal } from './rig/strangers';

/** Refused payments. Until the authorization expires, anyone who has seen it can still submit it. */

for (const rail of rails) {
  test(`over ${rail}, the same request finds a refused payment that someone submits later, and gets its form and token once`, async ({
    rig,
  }) => {
    const { wallet, request, refused } = await refusedForm(rig, signForm[rail]);
    expect(refused.headers.get('paid-call-id')).toBeTruthy();
    expect(await statusOf(rig, wallet.address)).toEqual({
      state: 'refused',
      payment: 'unknown',
      retry: 'same_request',
    });
    await refill(rig, wallet);
    const transaction = await submit(rig, request);
    expect(await rig.audit()).toEqual([]);
    const answer = await ask(request);
    await expectFormOnce(rig, answer, wallet.address, transaction);
    expect((await ask(request)).body).toEqual(answer.body);
    expect(await statusOf(rig, wallet.address)).toMatchObject({ state: 'delivered', payment: 'kept' });
  });
}

/** What an observer of the chain can reconstruct: the payment, without what never went on the chain. */
function asSeenOnChain(request: X402Request): X402Request {
  const { extensions, ...seen } = request.envelope;
  return {
    ...request,
    init: { ...request.init, headers: { ...request.init.headers, ...paymentHeader(seen) } },
  };
}

test('a stranger who submits a refused payment gets nothing, and its payer gets the form', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet, aForm);
  await refuse(rig, wallet, request);
  const [observer, guess] = [asSeenOnChain(request), withKey(asSeenOnChain(request), 'a-guess')];
  expect((await ask(observer)).status).toBe(402);
  await refill(rig, wallet);
  // A copy of the request does not cause a charge either.
  expect((await ask(observer)).status).toBe(402);
  expect(await transfersOf(rig, wallet.address)).toEqual([]);
  const transaction = await submit(rig, request);
  for (const [copy, code] of [
    [observer, 'payment_already_used'],
    [guess, 'idempotency_conflict'],
  ] as const) {
    const answer = await ask(copy);
    expect([answer.status, answer.body.error.code]).toEqual([409, code]);
  }
  const answer = await ask(request);
  expect(answer.status).toBe(200);
  expect(await transfersOf(rig, wallet.address)).toEqual([transaction]);
  expect(await rig.audit()).toEqual([]);
});

test('a refused payment that its payer cancels is refused for good, and its key is free for one new call', async ({
  rig,
}) => {
  const { wallet, request, signAgain } = await refusedForm(rig, signForm.x402);
  const stranger = privateKeyToAccount(generatePrivateKey());
  const canceled = await transact(rig, stranger, await cancellation(wallet, request));
  await refill(rig, wallet);
  // Before that, a reorganization could make the payment possible again.
  await untilFinal(rig, canceled);
  const fresh = await signAgain();
  const answer = await ask(fresh);
  expect(answer.status).toBe(200);
  const calls = await callsOf(rig, wallet.address);
  expect(calls.map(({ state }) => state)).toEqual(['refused', 'delivered']);
  const [kept] = await rig.query('SELECT input, refusal_final_at FROM paid_call WHERE id = $1', [
    calls[0]?.id,
  ]);
  expect(kept).toMatchObject({ input: null, refusal_final_at: expect.any(Date) });
  expect(await statusOf(rig, wallet.address)).toEqual({ state: 'refused', payment: 'none', retry: 'pay' });
  expect((await ask(request)).status).toBe(402);
  expect((await ask(fresh)).body).toEqual(answer.body);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('a PDF whose payment was refused is rendered again when the payment succeeds after all', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet, {
    path: '/render/pdf',
    body: JSON.stringify({ html: minimalHtml }),
  });
  await refuse(rig, wallet, request);
  await refill(rig, wallet);
  const answer = await ask(request);
  expect(answer.status).toBe(200);
  expect((await fetch(answer.body.publicUrl)).status).toBe(200);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('a refused renewal is admitted and reserved again before it is charged, or not charged', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const { id } = (await ask(await sign(rig, wallet))).body;
  const renewal = await sign(rig, wallet, { path: `/uploads/${id}/renew` });
  await refuse(rig, wallet, renewal, 1);
  await refill(rig, wallet);
  const renewed = await ask(renewal);
  expect([renewed.status, renewed.body.renewalCount]).toEqual([200, 1]);
  const late = await sign(rig, wallet, { path: `/uploads/${id}/renew` });
  await refuse(rig, wallet, late, 2);
  await refill(rig, wallet);
  const deletion = await sign(rig, wallet, { path: `/uploads/${id}`, method: 'DELETE' });
  expect((await ask(deletion)).status).toBe(200);
  const gone = await ask(late);
  expect([gone.status, gone.body.error.code, gone.body.error.payment]).toEqual([
    404,
    'upload_not_found',
    'none',
  ]);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(3);
  expect(await rig.audit()).toEqual([]);
});

test('a payment that was submitted elsewhere first is reported to its payer, to the operator and in the audit', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const transaction = await submit(rig, request);
  const used = 'a used authorization has a paid call';
  expect((await rig.audit()).filter((finding) => finding.includes(used))).toHaveLength(1);
  const answer = await ask(request);
  expect([answer.status, answer.body.error.code]).toEqual([409, 'payment_already_used']);
  expect(await callsOf(rig, wallet.address)).toEqual([]);
  expect(await rig.query('SELECT transaction_hash FROM transfer_without_call')).toEqual([
    { transaction_hash: transaction },
  ]);
  const { exitCode, output } = await rig.tuppence('worklist');
  expect(exitCode).toBe(1);
  expect(output).toContain(`payer ${wallet.address}, transaction ${transaction}`);
  expect(await rig.audit()).toEqual([]);
});
