import { randomNumbers, seedOf } from '../support/random';
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

/**
 * Kills a rig's server at random moments while wallets buy, and then holds everything against everything.
 * @param payWith how each of the wallets pays
 * @returns what the clients asked, and were told
 */
export async function killAtRandom(
  rig: Rig,
  payWith: readonly (PaymentMethod | 'channel')[],
  { kills, seed }: { readonly kills: number; readonly seed: string },
): Promise<History> {
  const next = randomNumbers(seedOf(seed));
  const history = new History();
  const buyers = payWith.map((method) => startBuyer([rig], method, history));
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

  await until('what was swept is booked', async () => (await unbookedSweeps(rig)) === 0n, healingMs);
  expect(await contradictions(rig, history, fixed)).toEqual([]);
  expect(await rig.audit()).toEqual([]);
  const lastAnswers = history.purchases.map(({ attempts }) => attempts.at(-1)?.answer?.status);
  // What was not delivered was refused; a load that bought hardly anything would prove nothing.
  expect(lastAnswers.filter((status) => status !== 200 && status !== 402)).toEqual([]);
  expect(lastAnswers.filter((status) => status === 200).length).toBeGreaterThan(payWith.length);
  const unanswered = history.purchases.flatMap(({ attempts }) => attempts).filter(({ answer }) => !answer);
  expect(unanswered.length).toBeGreaterThan(0);
  return history;
}
