/**
 * Runs steps one after the other, also those after one that failed.
 * @throws the first failure, when all have run
 */
export async function inTurn(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
