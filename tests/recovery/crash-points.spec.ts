import { randomNumbers, seedOf } from '../support/random';
import { type Case, Enumeration } from './crash-points/enumerate';
import { scenarios } from './crash-points/scenarios';
import { expect, test } from './fixtures';

/** How many points an ordinary run takes, of which so many kill the server, which costs seconds. */
const sampled = { kills: 2, others: 6 };

async function expectNothingBroken(enumeration: Enumeration, broken: readonly string[]): Promise<void> {
  expect([...broken, ...(await enumeration.verdict())]).toEqual([]);
}

/**
 * Breaks so many messages. A run may take a message less than the undisturbed one did: then the next case takes its place,
 * but no more often than there are messages to break.
 */
async function breakSome(
  enumeration: Enumeration,
  cases: readonly Case[],
  wanted: number,
): Promise<string[]> {
  const broken: string[] = [];
  const unreachedBefore = enumeration.unreached.length;
  let reached = 0;
  for (const [index, one] of cases.entries()) {
    broken.push(...(await enumeration.run(one)));
    reached = index + 1 - (enumeration.unreached.length - unreachedBefore);
    if (reached === wanted || index + 1 === 2 * wanted) break;
  }
  expect(reached, enumeration.unreached.join('\n')).toBe(wanted);
  return broken;
}

test('a sample of all points: one message lost, late, doubled or broken, or the server killed at it, and every call ends paid once and delivered once', async ({
  comparedRig: rig,
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
  console.log(`crash points: ${sampled.kills + sampled.others} of ${cases.length}`);
  const kills = await breakSome(enumeration, shuffled.filter(isKill), sampled.kills);
  const others = await breakSome(
    enumeration,
    shuffled.filter((one) => !isKill(one)),
    sampled.others,
  );
  await expectNothingBroken(enumeration, [...kills, ...others]);
});

for (const scenario of scenarios) {
  test(`${scenario.what}: whichever message is lost, late, doubled or broken, or the server killed at it, it is paid once and delivered once`, {
    tag: '@sweep',
  }, async ({ comparedRig: rig }) => {
    test.setTimeout(1_800_000);
    const enumeration = new Enumeration(rig);
    const cases = await enumeration.casesOf(scenario);
    console.log(`crash points of ${scenario.what}: ${cases.length}`);
    const broken: string[] = [];
    for (const one of cases) broken.push(...(await enumeration.run(one)));
    await expectNothingBroken(enumeration, broken);
    // The enumeration must not run past what it breaks.
    expect(enumeration.unreached.length, enumeration.unreached.join('\n')).toBeLessThanOrEqual(
      cases.length / 10,
    );
  });
}
