import type { Reading } from './letters';
import { lexiconOf, type Meaning, meanings } from './lexicon';
import { type Line, nothing } from './line';
import { openAtEnd, openAtStart, unspaced } from './pattern';
import { findAll, meaningOf, repeated, type Trie } from './trie';
import { kinds } from './words/language';

/** A phrase of the word lists in a line: its letters from `start` up to `end`. */
interface Match {
  readonly meaning: Meaning;
  readonly start: number;
  readonly end: number;
}

/** Words this long are not put together by chance from pieces of others (`pass word`, `passw ord`). */
const splitMin = 6;
/** What an ending may add to a word in pieces (`pass words`). */
const endingMax = 3;

/** Every phrase of the word lists that a short line contains by the rules of `Words`, in the order of their first letters. */
export function findMatches(line: Line, reading: Reading): Match[] {
  const { phrases } = lexiconOf(reading);
  const matches: Match[] = [];
  findAll(phrases, line, 0, line.length, (entry, start, end, splits, laterSplits) => {
    const meaning = meanings[meaningOf(phrases.marks[entry] ?? 0)];
    if (meaning && isAsWritten(phrases, line, entry, start, end, splits, laterSplits)) {
      matches.push({ meaning, start, end });
    }
  });
  return matches;
}

/** Whether an entry that has the letters of a line also has its gaps and its repeated letters, as far as it must. */
export function isAsWritten(
  phrases: Trie,
  line: Line,
  entry: number,
  start: number,
  end: number,
  splits: number,
  laterSplits: number,
): boolean {
  const { gaps } = line;
  const mark = phrases.marks[entry] ?? 0;
  if ((mark & openAtStart) === 0 && gaps[start] === nothing) return false;
  if ((mark & openAtEnd) === 0 && gaps[end] === nothing) return false;
  if ((mark & repeated) !== 0 && !isRepeatedEnough(phrases, line, entry, start)) return false;
  const odd = splits & ~(phrases.parts[entry] ?? 0);
  const laterOdd = laterSplits & ~(phrases.laterParts[entry] ?? 0);
  return (odd | laterOdd) === 0 || isDisguise(mark, line, start, end);
}

/** `CVV` has one V more than `CV`; more than that makes no other word. */
const isRepeatedEnough = (phrases: Trie, { repeats }: Line, entry: number, start: number) =>
  phrases.repeats.get(entry)?.every((repeat, at) => (repeats[start + at] ?? 0) >= repeat) ?? true;

/** Spaces that the phrase itself does not have are a disguise, or chance; this tells which. */
function isDisguise(mark: number, line: Line, start: number, end: number): boolean {
  const { gaps } = line;
  if (meaningOf(mark) >= kinds.length) return false;
  if ((mark & unspaced) !== 0) return gaps[start] !== nothing || gaps[end] !== nothing;
  if (gaps[start] === nothing || lettersToGap(line, end) > endingMax) return false;
  if (end - start >= splitMin) return true;
  if (gaps[end] === nothing || (mark & repeated) !== 0) return false;
  return gaps.subarray(start + 1, end).every((gap) => gap !== nothing);
}

function lettersToGap({ gaps }: Line, from: number): number {
  let to = from;
  while (gaps[to] === nothing && to - from <= endingMax) to += 1;
  return to - from;
}
