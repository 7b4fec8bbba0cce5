import { expect } from '@playwright/test';
import type { RunningServer } from './server';

/**
 * Waits until a server has logged a text. What it logs comes through a pipe, and may come after an answer that it gave later.
 */
export async function expectLogged(
  { output }: Pick<RunningServer, 'output'>,
  text: string | RegExp,
): Promise<void> {
  const logged = expect.poll(output, { timeout: 10_000 });
  await (typeof text === 'string' ? logged.toContain(text) : logged.toMatch(text));
}
