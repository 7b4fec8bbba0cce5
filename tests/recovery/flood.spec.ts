import { paymentHeader } from '../support/buyer';
import { resign } from '../support/lies';
import { expect, test } from './fixtures';
import { uploadsOf } from './rig/found';
import { ask, type SignedRequest, sign } from './rig/requests';

test.setTimeout(90_000);

/** Long for one call, short for standing behind two hundred. */
const inTimeMs = 15_000;

test('two hundred worthless payments at once keep an honest one waiting hardly at all, send nothing and write nothing', async ({
  rig,
}) => {
  const [poor, stranger, honest] = await Promise.all([
    rig.newEvmPayer(),
    rig.newEvmPayer(),
    rig.newEvmPayer(),
  ]);
  await rig.drain(poor);
  const unfunded = await Promise.all(Array.from({ length: 20 }, () => sign(rig, poor)));
  const template = await sign(rig, poor);
  const forged = paymentHeader(await resign(template.envelope, stranger, 'base'));
  const garbage: SignedRequest = {
    ...template,
    init: { ...template.init, headers: { ...template.init.headers, ...forged } },
  };
  const request = await sign(rig, honest);
  const sentBefore = rig.base.count('eth_sendRawTransaction');
  const flood = Array.from({ length: 200 }, (_, index) =>
    ask(index % 2 === 0 ? garbage : (unfunded[index % 20] ?? garbage)),
  );
  const startedAt = performance.now();
  const { status } = await ask(request);
  expect(status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(inTimeMs);
  const answers = await Promise.all(flood);
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 402));
  expect(rig.base.count('eth_sendRawTransaction') - sentBefore).toBe(1);
  expect(
    await rig.query('SELECT id FROM paid_call WHERE payer = ANY($1)', [[poor.address, stranger.address]]),
  ).toEqual([]);
  expect(await uploadsOf(rig, honest.address)).toHaveLength(1);
});
