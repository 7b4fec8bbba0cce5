import { pick, randomNumbers, seedOf } from '../support/random';
import { isSweep } from '../support/sweep';
import { settlementFaults } from './faults/settlement-faults';
import { expect, test } from './fixtures';
import { contradictions } from './history/contradictions';
import { History } from './history/history';
import { openCalls } from './history/ledger';
import type { NetworkName } from './rig/chains';
import { newPayer, paymentMethods, signFor } from './rig/payment-methods';
import { everyNetwork, type Rig } from './rig/rig';
import { until } from './rig/waiting';

const runs = isSweep ? 200 : 20;

test.setTimeout(isSweep ? 1_800_000 : 240_000);

/** One settlement with one fault, with one to three payments by impatient clients. */
async function run(rig: Rig, history: History, on: NetworkName, next: () => number): Promise<string[]> {
  const fault = pick(settlementFaults(on), next());
  const isDrained = on !== 'solana-mainnet' && next() < 0.1;
  const here = paymentMethods.filter((payWith) => payWith.on === on);
  const sales = await Promise.all(
    Array.from({ length: 1 + Math.floor(next() * 3) }, async () => {
      const wallet = await newPayer(rig, { on, rail: 'x402' });
      return {
        wallet,
        request: await signFor(pick(here, next()), rig, wallet),
        patienceMs: Math.round(300 + next() * 6_000),
      };
    }),
  );
  const rule = rig.proxy(on).on(fault.method, fault.action, { times: fault.times });
  // A payer whose money is gone by the time the transaction lands has proof that they paid nothing.
  const [poor] = isDrained ? sales : [];
  const held = poor && rig.proxy(on).hold('eth_sendRawTransaction', 'before', { times: 1 });
  const answers = Promise.all(
    sales.map(({ request, patienceMs }) => history.persist(request, 60_000, () => patienceMs)),
  );
  if (held && 'signTypedData' in poor.wallet) {
    await held.reached;
    await rig.drain(poor.wallet, on);
    held.release();
  }
  const statuses = (await answers).map(({ status }) => status);
  rule.remove();
  const expected = sales.map((sale) => (sale === poor ? 402 : 200));
  const what = `on ${on}, ${fault.what}${isDrained ? ', and a payer without money' : ''}`;
  return [
    ...(rule.hits > 0 || isDrained ? [] : [`${what}: it did not happen`]),
    ...(statuses.join() === expected.join()
      ? []
      : [`${what}: ${statuses.join()} and not ${expected.join()}`]),
  ];
}

test(`${runs} settlements with lost, late, truncated, duplicated or false responses, on every network and both rails, all end delivered or proven unpaid, and nobody pays twice`, async ({
  comparedRig: rig,
}) => {
  const seed = seedOf('lost settlement answers');
  const history = new History();
  const surprises = await Promise.all(
    everyNetwork.map(async (on, index) => {
      const next = randomNumbers(seed * 31 + index);
      const found: string[] = [];
      for (let done = index; done < runs; done += everyNetwork.length) {
        found.push(...(await run(rig, history, on, next)));
      }
      return found;
    }),
  );
  expect(surprises.flat()).toEqual([]);
  await until('nothing is open', async () => (await openCalls(rig)).length === 0, 60_000);
  expect(await contradictions(rig, history)).toEqual([]);
  expect(await rig.audit()).toEqual([]);
});
