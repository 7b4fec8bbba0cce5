import { isSweep } from '../support/sweep';
import { collectingTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { breakAtRandom, kills } from './random-faults';
import { startChannelRig } from './rig/channels';

const count = isSweep ? 200 : 4;
const onBase = { rail: 'x402', on: 'base' } as const;

test.setTimeout(isSweep ? 3_600_000 : 300_000);

test(`after ${count} kills at random moments of a load that pays by transfers and by vouchers, while vouchers are claimed, every call is delivered or proven unpaid within 60 s, and nobody pays twice`, async () => {
  const rig = await startChannelRig({ timings: collectingTimings });
  try {
    const payWith = [onBase, onBase, 'channel', 'channel', 'channel'] as const;
    const plan = { count, faults: kills, seed: 'random kills with channels' };
    const { purchases } = await breakAtRandom([rig], payWith, plan);
    const delivered = purchases.filter(({ attempts }) => attempts.at(-1)?.answer?.status === 200);
    const byChannel = delivered.filter(({ request }) => request.network === 'channel');
    console.log(`${delivered.length} calls delivered, ${byChannel.length} of them paid by channels`);
    expect(byChannel.length).toBeGreaterThan(count);
    expect(delivered.length - byChannel.length).toBeGreaterThan(payWith.length);
  } finally {
    await rig.close();
  }
});
