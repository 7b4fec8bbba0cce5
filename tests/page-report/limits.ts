import type { Visit } from './visit';

/** What a visit must not exceed. */

/** The sum of all layout shifts of a page. What is called good elsewhere is 0.1. */
const shiftMax = 0.02;

/** What is wrong with a state at one width, in words. */
export function faultsOf(visit: Visit): string[] {
  const where = `${visit.state.area}/${visit.state.name} at ${visit.width}`;
  return [
    ...(visit.shift < shiftMax
      ? []
      : [`layout shift ${visit.shift.toFixed(4)} of ${visit.moved.join(', ')}`]),
    ...(visit.overflow > 0 ? [`${visit.overflow} px wider than the window`] : []),
    ...visit.violations.map((one) => `axe: ${one}`),
    ...visit.foreign.map((one) => `a request to ${one}`),
    ...visit.errors.map((one) => `in the console: ${one}`),
  ].map((fault) => `${where}: ${fault}`);
}
