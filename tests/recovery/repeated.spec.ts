import { paymentHeader } from '../support/buyer';
import { expect, test } from './fixtures';
import { contradictions } from './history/contradictions';
import { History } from './history/history';
import { callsOf, transfersOf } from './rig/found';
import { newPayer, type PaymentMethod, signFor } from './rig/payment-methods';
import { ask, sign, type X402Request } from './rig/requests';

test.setTimeout(180_000);

const everyMethod: readonly PaymentMethod[] = [
  { rail: 'x402', on: 'base' },
  { rail: 'mpp', on: 'base' },
  { rail: 'x402', on: 'solana-mainnet' },
];

test('after a kill and a restart, every replay is byte-identical and never charged again', async ({
  comparedRig: rig,
}) => {
  const history = new History();
  const requests = await Promise.all(
    everyMethod.map(async (payWith) => signFor(payWith, rig, await newPayer(rig, payWith))),
  );
  const bought = await Promise.all(requests.map((request) => history.ask(request)));
  expect(bought.map(({ status }) => status)).toEqual([200, 200, 200]);
  await rig.restart();
  // Fifty times each: if settled payments were only remembered in the process, it would show here.
  for (const [index, request] of requests.entries()) {
    const again = await Promise.all(Array.from({ length: 50 }, () => history.ask(request)));
    expect(again.map(({ body }) => body)).toEqual(again.map(() => bought[index]?.body));
    expect(await transfersOf(rig, request.payer, request.network)).toHaveLength(1);
  }
  expect(await contradictions(rig, history)).toEqual([]);
});

/** What an observer of the chain can reconstruct: the payment, without what never went on the chain. */
function asSeenOnChain(request: X402Request, key?: string): X402Request {
  const { extensions, ...seen } = request.envelope;
  const headers = {
    ...request.init.headers,
    ...paymentHeader(seen),
    ...(key ? { 'Idempotency-Key': key } : {}),
  };
  return { ...request, init: { ...request.init, headers } };
}

test('a stranger who copies a payment from the chain during its call gets nothing and disturbs nothing', async ({
  comparedRig: rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const held = rig.base.hold('eth_getTransactionReceipt', 'after');
  const first = ask(request);
  await held.reached;
  const observers = await Promise.all([ask(asSeenOnChain(request)), ask(asSeenOnChain(request, 'a-guess'))]);
  held.release();
  const bought = await first;
  expect(bought.status).toBe(200);
  expect(bought.headers.get('cache-control')).toContain('private');
  expect(observers.map(({ status }) => status)).toEqual([409, 409]);
  expect(observers.map(({ body }) => body.error.code)).toEqual([
    'payment_already_used',
    'idempotency_conflict',
  ]);
  for (const { body } of observers) {
    for (const secret of [bought.body.uploadUrl, bought.body.publicUrl, bought.body.id]) {
      expect(JSON.stringify(body)).not.toContain(secret);
    }
  }
  expect(await callsOf(rig, wallet.address)).toHaveLength(1);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
});
