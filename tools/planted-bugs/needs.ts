import { findTestNeeds } from '@/local/test-needs.mjs';

/** What tests have to have before they can run, from the cheapest to the dearest. */
export const needs = ['nothing', 'a database', 'servers'] as const;
export type Need = (typeof needs)[number];

/** What the dearest of some test files needs. */
export function needOf(files: readonly string[]): Need {
  const found = findTestNeeds(process.cwd(), files);
  if (found.has('stack') || found.has('build') || found.has('browser')) return 'servers';
  return found.has('database') ? 'a database' : 'nothing';
}
