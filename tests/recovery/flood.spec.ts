import { paymentHeader } from '../support/buyer';
import { resign } from '../support/lies';
import { expect, test } from './fixtures';
import { uploadsOf } from './rig/found';
import { ask, persist, type SignedRequest, sign } from './rig/requests';

test.setTimeout(180_000);

const clients = 50;
/**
 * Two hundred per flooding client. An honest client that is not served by then is being starved. The number has no other
 * meaning: the honest client also waits for a block, and a faster machine gives more answers in that time.
 */
const answersMax = 200 * clients;

test('fifty clients that flood with worthless payments do not block an honest one, and nothing is broadcast or stored for them', async ({
  rig,
}) => {
  const [poor, stranger, honest] = await Promise.all([
    rig.newEvmPayer(),
    rig.newEvmPayer(),
    rig.newEvmPayer(),
  ]);
  const unfunded = await Promise.all(Array.from({ length: clients / 2 }, () => sign(rig, poor)));
  await rig.drain(poor);
  const template = await sign(rig, poor);
  const headers = paymentHeader(await resign(template.envelope, stranger, 'base'));
  const forged: SignedRequest = {
    ...template,
    init: { ...template.init, headers: { ...template.init.headers, ...headers } },
  };
  const request = await sign(rig, honest);
  const settlements = () => rig.query('SELECT hash FROM settlement_transaction');
  const before = (await settlements()).length;

  const statuses: number[] = [];
  let isServed = false;
  let flooded = () => {};
  const isFlooded = new Promise<void>((resolve) => {
    flooded = resolve;
  });
  const flood = Array.from({ length: clients }, async (_, index) => {
    const worthless = unfunded[index] ?? forged;
    while (!isServed && statuses.length < answersMax) {
      statuses.push((await ask(worthless)).status);
      if (statuses.length === clients) flooded();
    }
  });
  await isFlooded;
  const { status } = await persist(request);
  const answersBefore = statuses.length;
  isServed = true;
  await Promise.all(flood);

  expect(status).toBe(200);
  expect(answersBefore).toBeLessThan(answersMax);
  expect(new Set(statuses)).toEqual(new Set([402]));
  expect((await settlements()).length - before).toBe(1);
  const worthless = [poor.address, stranger.address];
  expect(await rig.query('SELECT id FROM paid_call WHERE payer = ANY($1)', [worthless])).toEqual([]);
  expect(await uploadsOf(rig, honest.address)).toHaveLength(1);
});
