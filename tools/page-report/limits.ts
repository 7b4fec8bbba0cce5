import type { Visit } from './visit';

/** The limits that a visit must not exceed. */

/** The sum of all layout shifts of a page. Others call 0.1 good. */
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
