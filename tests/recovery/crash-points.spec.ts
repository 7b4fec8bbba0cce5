import { operations } from '@/lib/catalog';
import { isSweep } from '../support/sweep';
import { shortestTimings } from '../support/timings';
import { Enumeration } from './crash-points/enumerate';
import { nameOfScenario, type Scenario, scenarios, servicesOf } from './crash-points/scenarios';
import { startServices } from './crash-points/services';
import { expect, test } from './fixtures';
import { channelSettings } from './rig/channels';
import { paymentMethods } from './rig/payment-methods';
import { startRig } from './rig/rig';

test('every paid operation, every rail and every network has its crash points enumerated', () => {
  const missing = operations.filter(({ id }) => !scenarios.some(({ operation }) => operation.id === id));
  expect(
    missing.map(({ id }) => id),
    'paid operations without a scenario in tests/recovery/crash-points/scenarios.ts',
  ).toEqual([]);
  const broken = scenarios.filter(({ isBroken }) => isBroken).map(({ paidBy }) => paidBy);
  expect(
    [...paymentMethods, 'account' as const].filter(
      (method) => !broken.some((other) => isSame(method, other)),
    ),
  ).toEqual([]);
});

function isSame(one: Scenario['paidBy'], other: Scenario['paidBy']): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Uses a rig of its own: with one network, its server exchanges little with the outside except for the call. */
async function expectNothingBroken(scenario: Scenario): Promise<void> {
  const on = scenario.paidBy === 'account' ? 'base' : scenario.paidBy.on;
  const { sendsSynchronously, throughChannel } = scenario;
  const services = await startServices(servicesOf(scenario));
  const rig = await startRig({
    networks: [on],
    timings: shortestTimings,
    sendsSynchronously,
    settings: {
      // More accounts are opened than one client address may open.
      TRUSTED_PROXIES: '1',
      ...services.settings,
      ...(throughChannel ? channelSettings() : {}),
    },
  });
  try {
    await rig.start();
    const enumeration = new Enumeration(rig, scenario, services);
    const points = enumeration.points(await enumeration.messages());
    const kills = points.filter(({ fault }) => fault.kills).length;
    const counts = { kills, 'broken messages': points.length - kills };
    console.log(`${nameOfScenario(scenario)}: ${JSON.stringify(counts)}`);
    for (const [what, count] of Object.entries(counts))
      test.info().annotations.push({ type: `crash points, ${what}`, description: String(count) });
    const broken = await enumeration.run(points);
    const unreached = await enumeration.unreached();
    expect([...broken, ...(await enumeration.verdict())]).toEqual([]);
    // The enumeration must reach nearly all of the points that it breaks.
    expect(unreached.length, unreached.join('\n')).toBeLessThanOrEqual(1 + points.length / 10);
  } finally {
    await rig.close();
    await services.close();
  }
}

for (const scenario of scenarios.filter(({ isBroken }) => isBroken)) {
  test(`${nameOfScenario(scenario)}: whichever message is lost, late, doubled or broken, or the server killed at it, it is paid once and delivered once`, async () => {
    test.setTimeout(isSweep ? 1_800_000 : 300_000);
    await expectNothingBroken(scenario);
  });
}

for (const scenario of scenarios.filter(({ isBroken }) => !isBroken)) {
  test(`${nameOfScenario(scenario)}: at whichever message the server is killed, it is paid once and delivered once`, async () => {
    test.setTimeout(isSweep ? 1_800_000 : 300_000);
    await expectNothingBroken(scenario);
  });
}
