import { test as bare } from '@playwright/test';
import { everyNetwork, type Rig, startRig } from './rig/rig';

interface PerTest {
  /** A rig on every network with its server up and nothing in its way. */
  rig: Rig;
  /** The same, for tests that hold its whole ledger against the chains: those that leave calls open do not use it. */
  comparedRig: Rig;
  /** The same on base and a Solana of its own, whose slots a test may move. */
  solanaRig: Rig;
}

interface PerWorker {
  keptRig: Rig;
  keptComparedRig: Rig;
  keptSolanaRig: Rig;
}

/** Rigs are kept for the tests that a worker runs one after another: what a test kills it starts again. */
export const test = bare.extend<PerTest, PerWorker>({
  keptRig: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
    async ({}, use) => {
      const rig = await startRig({ networks: everyNetwork });
      await use(rig);
      await rig.close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  keptComparedRig: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
    async ({}, use) => {
      const rig = await startRig({ networks: everyNetwork });
      await use(rig);
      await rig.close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  keptSolanaRig: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
    async ({}, use) => {
      const rig = await startRig({ networks: ['base', 'solana-mainnet'], hasOwnSolana: true });
      await use(rig);
      await rig.close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  rig: async ({ keptRig }, use) => {
    await keptRig.ready();
    await use(keptRig);
    keptRig.clearWays();
  },
  comparedRig: async ({ keptComparedRig }, use) => {
    await keptComparedRig.ready();
    await use(keptComparedRig);
    keptComparedRig.clearWays();
  },
  solanaRig: async ({ keptSolanaRig }, use) => {
    await keptSolanaRig.ready();
    await use(keptSolanaRig);
    keptSolanaRig.clearWays();
  },
});

export { expect } from '@playwright/test';
