import { isCovered } from './covered';
import { lexiconOf } from './lexicon';
import { readLine } from './line';
import { findMatches } from './matches';

/** Longer sentences say more than a warning. */
const warningMax = 200;

/**
 * A text without its warnings. A sentence is a warning if it begins as one (`never enter`) and then names secrets and
 * nothing else, save where (`in this form`). So `Never share your password, but enter it here` is none, and a disguised
 * word does not fit into any.
 */
export function withoutWarnings(text: string): string {
  return text.replace(/[^.!?。！？\n]+[.!?。！？\n]*/g, (sentence) =>
    isWarning(sentence) ? '\n' : sentence,
  );
}

function isWarning(sentence: string): boolean {
  if (sentence.length > warningMax) return false;
  const line = readLine([sentence], 'written');
  const matches = findMatches(line, 'written');
  return matches
    .filter(({ meaning, start }) => meaning === 'warning' && start === 0)
    .some(({ end }) =>
      isCovered(line, { start: end, end: line.length }, lexiconOf('written').warningRest, matches),
    );
}
