import { test as bare } from '@playwright/test';
import { everyNetwork, type Rig, type RigOptions, startRig } from './rig/rig';

interface PerTest {
  /** A rig on every network, with its server started and no proxy rules in place. */
  rig: Rig;
  /** The same, for tests that compare its whole ledger with the chains. Tests that leave calls open must not use it. */
  comparedRig: Rig;
  /** The same on base and a Solana of its own, whose slots a test may advance. */
  solanaRig: Rig;
}

interface PerWorker {
  keptRig: KeptRig;
  keptComparedRig: KeptRig;
  keptSolanaRig: KeptRig;
}

type Use<Fixture> = (fixture: Fixture) => Promise<void>;

/** A server that polls with test timings uses as much CPU time in two seconds as starting it does. */
const idleMs = 1_000;

/** A rig for the tests that a worker runs one after another. If a test kills its server, the next one starts it again. */
class KeptRig {
  readonly #rig: Rig;
  #timer: NodeJS.Timeout | undefined;
  #killed: Promise<void> | undefined;

  constructor(rig: Rig) {
    this.#rig = rig;
  }

  async lend(use: Use<Rig>): Promise<void> {
    await this.#wake();
    await this.#rig.ready();
    await use(this.#rig);
    this.#rig.clearWays();
    this.#timer = setTimeout(() => {
      this.#killed = this.#rig.kill();
    }, idleMs);
  }

  async close(): Promise<void> {
    await this.#wake();
    await this.#rig.close();
  }

  async #wake(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#killed;
  }
}

async function keep(options: RigOptions, use: Use<KeptRig>): Promise<void> {
  const kept = new KeptRig(await startRig(options));
  await use(kept);
  await kept.close();
}

const perWorker = { scope: 'worker', timeout: 120_000 } as const;

export const test = bare.extend<PerTest, PerWorker>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  keptRig: [({}, use) => keep({ networks: everyNetwork }, use), perWorker],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  keptComparedRig: [({}, use) => keep({ networks: everyNetwork }, use), perWorker],
  keptSolanaRig: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
    ({}, use) => keep({ networks: ['base', 'solana-mainnet'], hasOwnSolana: true }, use),
    perWorker,
  ],
  rig: ({ keptRig }, use) => keptRig.lend(use),
  comparedRig: ({ keptComparedRig }, use) => keptComparedRig.lend(use),
  solanaRig: ({ keptSolanaRig }, use) => keptSolanaRig.lend(use),
});

export { expect } from '@playwright/test';
