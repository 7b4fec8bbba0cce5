import { setPriority } from 'node:os';
import { test } from './without-browser';

/** The project of tests that only compute. They run beside all others, which wait for processes and have limits of time. */
export const projectBesideOthers = 'beside the others';

/** For a test that computes for many seconds: where it runs beside others, they come first. */
export function letOthersFirst(): void {
  if (test.info().project.name === projectBesideOthers) setPriority(10);
}
