import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';

const axe = { content: readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8') };

/** Loads axe into every document that this page opens from now on: cheaper than sending it again each time. */
export function withAxe(page: Page): Promise<unknown> {
  return page.addInitScript(axe);
}

/** The violations of axe's rules, for WCAG 2.2 AA and best practices. */
export async function findViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.content);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  const where = new URL(page.url()).pathname;
  return violations.map(({ id, nodes }) => `${where} ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

export async function expectAccessible(page: Page): Promise<void> {
  expect(await findViolations(page)).toEqual([]);
}
