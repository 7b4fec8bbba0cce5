import { randomNumbers, seedOf } from '../support/random';
import { isSweep } from '../support/sweep';
import { expect, test } from './fixtures';
import { contradictions } from './history/contradictions';
import { History } from './history/history';
import { openCalls, readFixed } from './history/ledger';
import { startBuyer } from './load';
import { paymentMethods } from './rig/payment-methods';
import { pause, until } from './rig/waiting';

const kills = isSweep ? 100 : 4;
const healingMs = 60_000;

test.setTimeout(isSweep ? 3_600_000 : 300_000);

test(`after ${kills} kills at random moments of a mixed load on both rails and every network, every call is delivered or proven unpaid within 60 s, and nobody pays twice`, async ({
  comparedRig: rig,
}) => {
  const next = randomNumbers(seedOf('random kills'));
  const history = new History();
  const buyers = [...paymentMethods, { rail: 'x402', on: 'base' } as const].map((payWith) =>
    startBuyer([rig], payWith, history),
  );
  let fixed = await readFixed(rig);
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(next() * 1_500);
    await rig.kill();
    const now = await readFixed(rig);
    expect([...fixed].filter(([key, digest]) => now.get(key) !== digest)).toEqual([]);
    fixed = now;
    await rig.start();
  }
  const healedAt = Date.now();
  for (const buyer of buyers) buyer.stop();
  await Promise.all(buyers.map(({ ended }) => ended));
  await until('nothing is open', async () => (await openCalls(rig)).length === 0, healingMs);
  expect(Date.now() - healedAt).toBeLessThanOrEqual(healingMs);

  expect(await contradictions(rig, history, fixed)).toEqual([]);
  expect(await rig.audit()).toEqual([]);
  const lastAnswers = history.purchases.map(({ attempts }) => attempts.at(-1)?.answer?.status);
  // What was not delivered was refused; a load that bought hardly anything would prove nothing.
  expect(lastAnswers.filter((status) => status !== 200 && status !== 402)).toEqual([]);
  expect(lastAnswers.filter((status) => status === 200).length).toBeGreaterThan(paymentMethods.length);
  const unanswered = history.purchases.flatMap(({ attempts }) => attempts).filter(({ answer }) => !answer);
  expect(unanswered.length).toBeGreaterThan(0);
});
