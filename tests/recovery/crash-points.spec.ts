import { randomNumbers, seedOf } from '../support/random';
import { type Case, Enumeration } from './crash-points/enumerate';
import { scenarios } from './crash-points/scenarios';
import { expect, test } from './fixtures';

/** How many points an ordinary run takes, of which so many kill the server, which costs seconds. */
const sampled = { kills: 2, others: 6 };

async function expectNothingBroken(enumeration: Enumeration, cases: readonly Case[]): Promise<void> {
  const broken: string[] = [];
  for (const one of cases) broken.push(...(await enumeration.run(one)));
  broken.push(...(await enumeration.verdict()));
  expect(broken).toEqual([]);
  // A run may take a message less than the undisturbed one did, but the enumeration must not run past what it breaks.
  expect(enumeration.unreached.length, enumeration.unreached.join('\n')).toBeLessThanOrEqual(
    cases.length / 10,
  );
}

test('a sample of all points: one message lost, late, doubled or broken, or the server killed at it, and every call ends paid once and delivered once', async ({
  fullRig: rig,
}) => {
  test.setTimeout(300_000);
  const next = randomNumbers(seedOf('crash points'));
  const enumeration = new Enumeration(rig);
  const cases: Case[] = [];
  for (const scenario of scenarios) cases.push(...(await enumeration.casesOf(scenario)));
  const shuffled = cases
    .map((one) => ({ one, at: next() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ one }) => one);
  const isKill = ({ point }: Case) => point.fault.kills;
  const sample = [
    ...shuffled.filter(isKill).slice(0, sampled.kills),
    ...shuffled.filter((one) => !isKill(one)).slice(0, sampled.others),
  ];
  console.log(`crash points: ${sample.length} of ${cases.length}`);
  await expectNothingBroken(enumeration, sample);
});

for (const scenario of scenarios) {
  test(`${scenario.what}: whichever message is lost, late, doubled or broken, or the server killed at it, it is paid once and delivered once`, {
    tag: '@sweep',
  }, async ({ fullRig: rig }) => {
    test.setTimeout(1_800_000);
    const enumeration = new Enumeration(rig);
    const cases = await enumeration.casesOf(scenario);
    console.log(`crash points of ${scenario.what}: ${cases.length}`);
    await expectNothingBroken(enumeration, cases);
  });
}
