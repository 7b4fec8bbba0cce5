import { parseArgs } from 'node:util';
import { type PlantedBug, plantedBugs } from './bugs';
import { type Need, needOf, needs } from './needs';
import { type Outcome, Tree } from './tree';

/**
 * Plants known mistakes one at a time and requires that the tests find each one: `npm run test:bugs`. The same tests must
 * pass without the mistake. `--only` takes a pattern of bugs, and `--without-servers` leaves out those that only servers show.
 */

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, 'without-servers': { type: 'boolean', default: false } },
});
const chosen = plantedBugs.filter(
  ({ bug, needsServers }) =>
    new RegExp(values.only).test(bug) && !(values['without-servers'] && needsServers !== undefined),
);
if (chosen.length === 0) throw new Error(`no bug matches ${values.only}`);

/** The titles of the tests that failed. */
function failuresIn({ output }: Outcome): string[] {
  return [...output.matchAll(/^FAILED (\S+: .+)$/gm)].map(([, title = '']) => title);
}

/** How a bug was looked for. */
interface Search {
  /** The test that failed first; null when none did. */
  readonly found: string | null;
  /** What the tests that were run need. */
  readonly need: Need;
  readonly seconds: number;
}

async function search(tree: Tree, { changes, foundBy }: PlantedBug): Promise<Search> {
  const need = needOf(foundBy);
  return tree.during(changes, need === 'servers', async () => {
    const startedMs = performance.now();
    const outcome = await tree.test(...foundBy);
    const [first] = failuresIn(outcome);
    if (first === undefined && outcome.code !== 0)
      throw new Error(`the tests did not run:\n${outcome.output}`);
    return { found: first ?? null, need, seconds: (performance.now() - startedMs) / 1_000 };
  });
}

const tree = await Tree.make();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => tree.end().finally(() => process.exit(130)));
try {
  const files = [...new Set(chosen.flatMap(({ foundBy }) => foundBy))];
  const clean = await tree.during([], needOf(files) === 'servers', () => tree.test(...files));
  if (clean.code !== 0) throw new Error(`without a bug, the tests do not pass:\n${clean.output}`);
  console.log(`${clean.output.trim().split('\n').at(-1)} without a bug`);
  const searches: Search[] = [];
  for (const planted of chosen) {
    const searched = await search(tree, planted);
    const { found, need, seconds } = searched;
    searches.push(searched);
    console.log(`${found === null ? 'MISSED' : 'found '} ${planted.bug}`);
    console.log(`       ${seconds.toFixed(1)} s, needs ${need}${found === null ? '' : `: ${found}`}`);
  }
  for (const need of needs) {
    const of = searches.filter((searched) => searched.need === need);
    const seconds = of.reduce((sum, searched) => sum + searched.seconds, 0);
    if (of.length > 0) console.log(`${of.length} by tests that need ${need}, in ${seconds.toFixed(0)} s`);
  }
  const missed = searches.filter(({ found }) => found === null).length;
  console.log(`${chosen.length - missed} of ${chosen.length} planted bugs found`);
  process.exitCode = missed === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await tree.end();
}
