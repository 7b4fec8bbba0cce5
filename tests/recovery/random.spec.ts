import { startEvmChain } from '@/local/evm/chain';
import { isSweep } from '../support/sweep';
import { test } from './fixtures';
import { breakAtRandom, everyFault, kills } from './random-faults';
import { paymentMethods } from './rig/payment-methods';
import { everyNetwork, startRig } from './rig/rig';

const killCount = isSweep ? 500 : 4;
const faultCount = isSweep ? 200 : 8;

test.setTimeout(isSweep ? 7_200_000 : 300_000);

const payWith = [...paymentMethods, { rail: 'x402', on: 'base' }, 'contract wallet', 'account'] as const;

test(`after ${killCount} kills at random moments of a mixed load on both rails and every network, every call is delivered or proven unpaid within 60 s, and nobody pays twice`, async ({
  comparedRig: rig,
}) => {
  await breakAtRandom([rig], payWith, { count: killCount, faults: kills, seed: 'random kills' });
});

for (const servers of [2, 3])
  test(`after ${faultCount} faults of servers, clocks, nodes, chain and database at random moments, ${servers} servers have every call delivered or proven unpaid within 60 s, and nobody has paid twice`, {
    // In a short run, two servers are enough.
    tag: servers === 3 ? '@sweep' : [],
  }, async () => {
    const base = await startEvmChain({ chainId: 8453 });
    const first = await startRig({ networks: everyNetwork, baseRpcUrl: base.rpcUrl });
    const others = [];
    try {
      while (others.length < servers - 1) others.push(await startRig({ beside: first }));
      // One after another: the first applies the migrations.
      for (const rig of [first, ...others]) await rig.start();
      const plan = { count: faultCount, faults: everyFault, seed: `random faults of ${servers} servers` };
      await breakAtRandom([first, ...others], payWith, plan);
    } finally {
      for (const rig of others.reverse()) await rig.close();
      await first.close();
      await base.stop();
    }
  });
