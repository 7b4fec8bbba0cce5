import { parseArgs } from 'node:util';
import { type PlantedBug, plantedBugs } from './bugs';
import { type Outcome, Tree } from './tree';

/**
 * Plants known mistakes one at a time and requires that the tests find each one: `npm run test:bugs`. The same tests must
 * pass without the mistake.
 */

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const chosen = plantedBugs.filter(({ bug }) => new RegExp(values.only).test(bug));
if (chosen.length === 0) throw new Error(`no bug matches ${values.only}`);

/** The titles of the tests that failed. */
function failuresIn({ output }: Outcome): string[] {
  return [...output.matchAll(/^FAILED (\S+: .+)$/gm)].map(([, title = '']) => title);
}

/** @returns what found the bug; null when nothing did */
async function find(tree: Tree, { changes, foundBy }: PlantedBug): Promise<string | null> {
  return tree.during(changes, async () => {
    const outcome = await tree.test(...foundBy);
    const [first] = failuresIn(outcome);
    if (first === undefined && outcome.code !== 0)
      throw new Error(`the tests did not run:\n${outcome.output}`);
    return first ?? null;
  });
}

const tree = await Tree.make();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => tree.end().finally(() => process.exit(130)));
try {
  const files = [...new Set(chosen.flatMap(({ foundBy }) => foundBy))];
  const clean = await tree.during([], () => tree.test(...files));
  if (clean.code !== 0) throw new Error(`without a bug, the tests do not pass:\n${clean.output}`);
  console.log(`${clean.output.trim().split('\n').at(-1)} without a bug`);
  let missed = 0;
  for (const bug of chosen) {
    const found = await find(tree, bug);
    if (found === null) missed += 1;
    console.log(
      `${found === null ? 'MISSED' : 'found '} ${bug.bug}${found === null ? '' : `\n       by ${found}`}`,
    );
  }
  console.log(`${chosen.length - missed} of ${chosen.length} planted bugs found`);
  process.exitCode = missed === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await tree.end();
}
