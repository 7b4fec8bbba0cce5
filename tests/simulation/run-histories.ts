import { letOthersFirst } from '../support/beside-others';
import { Coverage } from './coverage';
import { describeFailure, runHistory } from './history';
import type { Plan } from './plan';

interface Run {
  readonly planOf?: (seed: number) => Plan;
  /** The file that runs them again. */
  readonly spec?: string;
  /** Counts what happens, together with other runs. */
  readonly coverage?: Coverage;
}

/**
 * Runs the histories of seeds, and prints how fast.
 * @throws Error that tells the first history in which a promise does not hold
 */
export async function runHistories(
  first: number,
  count: number,
  { planOf, spec = 'tests/simulation/simulation.spec.ts', coverage = new Coverage() }: Run = {},
): Promise<Coverage> {
  letOthersFirst();
  const startedMs = performance.now();
  const startedCpu = process.cpuUsage();
  for (let seed = first; seed < first + count; seed += 1) {
    const result = await runHistory(seed, coverage, planOf?.(seed));
    if (result.violations.length > 0) throw new Error(describeFailure(result, spec));
  }
  const minutes = (performance.now() - startedMs) / 60_000;
  const { user, system } = process.cpuUsage(startedCpu);
  // The CPU time can be compared between machines that do other things too.
  const cpuMs = (user + system) / 1_000 / count;
  console.log(
    `histories from seed ${first}: ${count}, ${Math.round(count / minutes)} a minute, ${cpuMs.toFixed(1)} ms of CPU time each`,
  );
  return coverage;
}
