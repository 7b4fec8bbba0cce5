import { isSweep } from '../support/sweep';

/** `npm test` runs one of this many cases. */
const share = 8;

/** All cases in the sweep; otherwise a sample that is the same in each run. */
export function sampled<Case>(cases: readonly Case[]): readonly Case[] {
  return isSweep ? cases : cases.filter((_, index) => index % share === 0);
}
