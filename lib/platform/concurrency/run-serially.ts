/**
 * Runs steps one after another, even after one of them fails.
 * @throws the first failure, once all have run
 */
export async function runSerially(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
