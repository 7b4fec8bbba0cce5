import { pick, randomNumbers, seedOf } from '../support/random';
import {
  type Action,
  breakAnswer,
  delayAnswer,
  loseAnswer,
  loseRequest,
  repeatRequest,
} from '../support/rpc-proxy';
import { refuseFullDisk } from './crash-points/actions';
import { expect } from './fixtures';
import { unbookedSweeps } from './history/chain';
import { contradictions } from './history/contradictions';
import { History } from './history/history';
import { openCalls, readFixed } from './history/ledger';
import { type LoadPayer, startBuyer } from './load';
import { mine, onBase } from './rig/own-chain';
import type { Rig } from './rig/rig';
import { pause, until } from './rig/waiting';

const healingMs = 60_000;

/** Causes one fault at one of the servers. */
export type Fault = (rig: Rig, next: () => number) => Promise<void>;

const kill: Fault = async (rig) => {
  await rig.kill();
  // Whoever restarts a server has fixed its disk first.
  rig.database.intercept(null);
  await rig.start();
};

/** What can happen to messages between a server and a node. */
const actions: readonly Action[] = [
  loseRequest,
  loseAnswer,
  breakAnswer('reset'),
  breakAnswer('truncate'),
  breakAnswer('status-500'),
  delayAnswer(1_000),
  repeatRequest,
];

const breakNode: Fault = async (rig, next) => {
  const times = 1 + Math.floor(next() * 20);
  rig.proxy(pick(rig.networks, next())).on('*', pick(actions, next()), { times });
};

const cutDatabase: Fault = async (rig) => rig.database.cut();

const fillDisk: Fault = async (rig, next) => {
  let left = 1 + Math.floor(next() * 20);
  rig.database.intercept((statement) => {
    if (left === 0 || !/\b(INSERT|UPDATE|DELETE)\b/.test(statement)) return null;
    left -= 1;
    return refuseFullDisk;
  });
};

/** Clocks ten minutes slow or fast, or correct again. */
const stepsMs = [-600_000, 0, 600_000];

const stepClock: Fault = async (rig, next) => rig.server().setTime?.(pick(stepsMs, next()));

const deepestReorganization = 3;

/** Removes the newest blocks of base. Their transactions do not return to the pool. For rigs with their own base chain. */
const reorganizeBase: Fault = async (rig, next) => {
  const depth = 1 + Math.floor(next() * deepestReorganization);
  await onBase(rig, 'anvil_rollback', depth);
  await mine(rig, depth + 1);
};

export const kills: readonly Fault[] = [kill];
export const everyFault: readonly Fault[] = [
  kill,
  breakNode,
  breakNode,
  cutDatabase,
  fillDisk,
  stepClock,
  reorganizeBase,
];

interface Plan {
  /** How many faults there are, one after another. */
  readonly count: number;
  readonly faults: readonly Fault[];
  /** The name of the random seed, printed with its number. */
  readonly seed: string;
}

/**
 * Causes faults at random moments while wallets buy, and then compares clients, ledger and chains with each other.
 * @param rigs the servers of one service; the first owns what they share
 * @param payWith how each of the wallets pays
 * @returns what the clients requested and were told
 */
export async function breakAtRandom(
  rigs: readonly [Rig, ...Rig[]],
  payWith: readonly LoadPayer[],
  { count, faults, seed }: Plan,
): Promise<History> {
  const [rig] = rigs;
  const next = randomNumbers(seedOf(seed));
  const history = new History();
  const buyers = payWith.map((method) => startBuyer(rigs, method, history));
  await Promise.all(buyers.map(({ began }) => began));
  let fixed = await readFixed(rig);
  for (let done = 0; done < count; done += 1) {
    await pause(next() * 1_500);
    await pick(faults, next())(pick(rigs, next()), next);
    const now = await readFixed(rig);
    expect([...fixed].filter(([key, digest]) => now.get(key) !== digest)).toEqual([]);
    fixed = now;
  }
  for (const one of rigs) {
    one.clearWays();
    one.database.intercept(null);
    await one.server().setTime?.(0);
  }
  const healedAt = Date.now();
  for (const buyer of buyers) buyer.stop();
  await Promise.all(buyers.map(({ ended }) => ended));
  await until('nothing is open', async () => (await openCalls(rig)).length === 0, healingMs);
  expect(Date.now() - healedAt).toBeLessThanOrEqual(healingMs);

  await until('what was swept is booked', async () => (await unbookedSweeps(rig)) === 0n, healingMs);
  const reorganizes = faults.includes(reorganizeBase);
  const contradicting = () => contradictions(rig, history, fixed, reorganizes);
  // The next review of settlements notices what the last reorganization removed.
  if (reorganizes)
    await until('ledger and chains agree', async () => (await contradicting()).length === 0, healingMs).catch(
      () => undefined,
    );
  expect(await contradicting()).toEqual([]);
  expect(await rig.audit()).toEqual([]);
  const lastAnswers = history.purchases.map(({ attempts }) => attempts.at(-1)?.answer?.status);
  // Every call was either delivered or refused. A load that bought hardly anything would prove nothing.
  expect(lastAnswers.filter((status) => status !== 200 && status !== 402)).toEqual([]);
  const delivered = lastAnswers.filter((status) => status === 200).length;
  expect(delivered).toBeGreaterThan(payWith.length);
  const attempts = history.purchases.flatMap((purchase) => purchase.attempts);
  const unanswered = attempts.filter(({ answer }) => !answer).length;
  // With a few of the other faults, clients may not notice anything.
  if (faults === kills) expect(unanswered).toBeGreaterThan(0);
  console.log(
    `${seed}: ${count} faults, ${delivered} calls delivered, ${attempts.length} requests, ${unanswered} of them without an answer`,
  );
  if (reorganizes)
    console.log(`${seed}: ${await countReorganized(rig)} payments lost their block and were sent again`);
  return history;
}

async function countReorganized(rig: Rig): Promise<number> {
  const rows = await rig.query("SELECT id FROM paid_call_move WHERE note = 'reorganized'");
  return rows.length;
}
