import { isSweep } from '../support/sweep';
import { test } from './fixtures';
import { killAtRandom } from './random-kills';
import { paymentMethods } from './rig/payment-methods';

const kills = isSweep ? 100 : 4;

test.setTimeout(isSweep ? 3_600_000 : 300_000);

test(`after ${kills} kills at random moments of a mixed load on both rails and every network, every call is delivered or proven unpaid within 60 s, and nobody pays twice`, async ({
  comparedRig: rig,
}) => {
  const payWith = [...paymentMethods, { rail: 'x402', on: 'base' } as const];
  await killAtRandom(rig, payWith, { kills, seed: 'random kills' });
});
