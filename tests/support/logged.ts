import { expect } from '@playwright/test';
import type { RunningServer } from './server';

/**
 * Waits until a server has logged a text. Log output comes through a pipe, so it may arrive after an answer that was sent later.
 */
export async function expectLogged(
  { output }: Pick<RunningServer, 'output'>,
  text: string | RegExp,
): Promise<void> {
  const logged = expect.poll(output, { timeout: 10_000 });
  await (typeof text === 'string' ? logged.toContain(text) : logged.toMatch(text));
}
