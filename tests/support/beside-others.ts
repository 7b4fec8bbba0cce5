import { getPriority, setPriority } from 'node:os';
import { test } from './without-browser';

/** The project of tests that only compute. They run beside all others, which wait for processes and have limits of time. */
export const projectBesideOthers = 'beside the others';

/** How much lower their priority is, of 20 (see `nice`). */
const lowerBy = 10;

let isLower = false;

/** For a test that computes for many seconds: where it runs beside others, they come first. */
export function letOthersFirst(): void {
  if (isLower || test.info().project.name !== projectBesideOthers) return;
  setPriority(Math.min(getPriority() + lowerBy, 19));
  isLower = true;
}
