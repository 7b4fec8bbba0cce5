import { pick, randomNumbers, seedOf } from '../support/random';
import {
  type Action,
  breakAnswer,
  delayAnswer,
  loseAnswer,
  loseRequest,
  repeatRequest,
} from '../support/rpc-proxy';
import { expect } from './fixtures';
import { unbookedSweeps } from './history/chain';
import { contradictions } from './history/contradictions';
import { History } from './history/history';
import { openCalls, readFixed } from './history/ledger';
import { startBuyer } from './load';
import type { PaymentMethod } from './rig/payment-methods';
import type { Rig } from './rig/rig';
import { pause, until } from './rig/waiting';

const healingMs = 60_000;

/** Makes one thing go wrong at one of the servers. */
export type Fault = (rig: Rig, next: () => number) => Promise<void>;

const kill: Fault = async (rig) => {
  await rig.kill();
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

export const kills: readonly Fault[] = [kill];
export const everyFault: readonly Fault[] = [kill, breakNode, breakNode, cutDatabase];

interface Plan {
  /** How many faults there are, one after another. */
  readonly count: number;
  readonly faults: readonly Fault[];
  /** Named in the output with its number. */
  readonly seed: string;
}

/**
 * Lets things go wrong at random moments while wallets buy, and then holds everything against everything.
 * @param rigs the servers of one service; the first has what all share
 * @param payWith how each of the wallets pays
 * @returns what the clients asked, and were told
 */
export async function breakAtRandom(
  rigs: readonly [Rig, ...Rig[]],
  payWith: readonly (PaymentMethod | 'channel')[],
  { count, faults, seed }: Plan,
): Promise<History> {
  const [rig] = rigs;
  const next = randomNumbers(seedOf(seed));
  const history = new History();
  const buyers = payWith.map((method) => startBuyer(rigs, method, history));
  let fixed = await readFixed(rig);
  for (let done = 0; done < count; done += 1) {
    await pause(next() * 1_500);
    await pick(faults, next())(pick(rigs, next()), next);
    const now = await readFixed(rig);
    expect([...fixed].filter(([key, digest]) => now.get(key) !== digest)).toEqual([]);
    fixed = now;
  }
  for (const one of rigs) one.clearWays();
  const healedAt = Date.now();
  for (const buyer of buyers) buyer.stop();
  await Promise.all(buyers.map(({ ended }) => ended));
  await until('nothing is open', async () => (await openCalls(rig)).length === 0, healingMs);
  expect(Date.now() - healedAt).toBeLessThanOrEqual(healingMs);

  await until('what was swept is booked', async () => (await unbookedSweeps(rig)) === 0n, healingMs);
  expect(await contradictions(rig, history, fixed)).toEqual([]);
  expect(await rig.audit()).toEqual([]);
  const lastAnswers = history.purchases.map(({ attempts }) => attempts.at(-1)?.answer?.status);
  // What was not delivered was refused; a load that bought hardly anything would prove nothing.
  expect(lastAnswers.filter((status) => status !== 200 && status !== 402)).toEqual([]);
  const delivered = lastAnswers.filter((status) => status === 200).length;
  expect(delivered).toBeGreaterThan(payWith.length);
  const attempts = history.purchases.flatMap((purchase) => purchase.attempts);
  const unanswered = attempts.filter(({ answer }) => !answer).length;
  expect(unanswered).toBeGreaterThan(0);
  console.log(
    `${seed}: ${count} faults, ${delivered} calls delivered, ${attempts.length} requests, ${unanswered} of them without an answer`,
  );
  return history;
}
