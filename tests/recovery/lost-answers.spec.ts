import { type Action, falsify, loseAnswer, loseRequest, repeatRequest } from '../support/rpc-proxy';
import { expect, test } from './fixtures';
import { callsOf, expectPaidAndDeliveredOnce, transfersOf } from './rig/found';
import { ask, persist, sign } from './rig/requests';
import { pause } from './rig/waiting';

test.setTimeout(180_000);

const broadcast = 'eth_sendRawTransaction';
const receipt = 'eth_getTransactionReceipt';

/** Faults of the first broadcast, at the node or on the way to it, although the payment goes through. */
const broadcasts: readonly { what: string; action: Action }[] = [
  { what: 'is accepted, but its answer is lost', action: loseAnswer },
  { what: 'never arrives', action: loseRequest },
  { what: 'arrives twice', action: repeatRequest },
];

for (const { what, action } of broadcasts) {
  test(`a payment whose broadcast ${what} is made once and delivered in the first response`, async ({
    rig,
  }) => {
    const wallet = await rig.newEvmPayer();
    const request = await sign(rig, wallet);
    const rule = rig.base.on(broadcast, action, { times: 1 });
    const answer = await ask(request);
    expect({ status: answer.status, error: answer.body.error, faults: rule.hits }).toEqual({
      status: 200,
      error: undefined,
      faults: 1,
    });
    await expectPaidAndDeliveredOnce(rig, wallet.address);
  });
}

test('a receipt that appears late is waited for, and no second transaction is sent', async ({ rig }) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const sentBefore = await rig.query('SELECT id FROM settlement_transaction');
  const rule = rig.base.on(
    receipt,
    falsify(() => null),
    { times: 8 },
  );
  const answer = await ask(request);
  expect(rule.hits).toBe(8);
  expect(answer.status).toBe(200);
  expect(await rig.query('SELECT id FROM settlement_transaction')).toHaveLength(sentBefore.length + 1);
  await expectPaidAndDeliveredOnce(rig, wallet.address);
});

test('a missing receipt gets 503 and never 402, and the same request gets its upload later', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const rule = rig.base.on(receipt, loseAnswer);
  const first = await ask(request);
  const [call] = await callsOf(rig, wallet.address);
  expect(first.status).toBe(503);
  expect(first.body.error).toMatchObject({
    code: 'settlement_unknown',
    payment: 'unknown',
    retry: 'same_request',
    paidCallId: call?.id,
  });
  expect(first.headers.get('paid-call-id')).toBe(call?.id);
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
  const second = await ask(request);
  expect([409, 503]).toContain(second.status);
  expect(second.body.error.retry).toBe('same_request');
  await pause(2_000);
  rule.remove();
  const last = await persist(request);
  expect(last.status).toBe(200);
  await expectPaidAndDeliveredOnce(rig, wallet.address);
});

test('if the chain cannot be asked to verify a payment, the call gets 503, and nothing is stored or charged', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const rule = rig.base.on('eth_call', loseAnswer);
  const first = await ask(request);
  expect(first.status).toBe(503);
  expect(first.body.error).toMatchObject({ code: 'service_unavailable', payment: 'none' });
  expect(await callsOf(rig, wallet.address)).toEqual([]);
  rule.remove();
  const last = await persist(request);
  expect(last.status).toBe(200);
  await expectPaidAndDeliveredOnce(rig, wallet.address);
});

test('ten simultaneous payments survive a node that loses every second response', async ({ rig }) => {
  const wallets = await Promise.all(Array.from({ length: 10 }, () => rig.newEvmPayer()));
  const requests = await Promise.all(wallets.map((wallet) => sign(rig, wallet)));
  let turn = 0;
  const everySecond: Action = (call, forward) => {
    turn += 1;
    return turn % 2 === 0 ? loseAnswer(call, forward) : forward();
  };
  for (const method of [broadcast, receipt]) rig.base.on(method, everySecond);
  const answers = await Promise.all(requests.map((request) => persist(request)));
  expect(answers.map(({ status }) => status)).toEqual(requests.map(() => 200));
  for (const { address } of wallets) expect(await transfersOf(rig, address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});
