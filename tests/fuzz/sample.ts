import { isSweep } from '../support/sweep';

/** Of so many cases, `npm test` takes one. */
const share = 8;

/** All cases in the sweep, otherwise some, the same in each run. */
export function sampled<Case>(cases: readonly Case[]): readonly Case[] {
  return isSweep ? cases : cases.filter((_, index) => index % share === 0);
}
