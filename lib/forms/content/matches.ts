import type { Reading } from './letters';
import { lexiconOf, type Meaning } from './lexicon';
import { fieldEnd, type Line, nothing } from './line';
import type { Pattern } from './pattern';
import { type Trie, walk, walkFrom } from './trie';
import { isKind } from './words/language';

/** A phrase of the word lists in a line: its letters from `start` up to `end`. */
export interface Match {
  readonly meaning: Meaning;
  readonly start: number;
  readonly end: number;
  /** Meant only where the question begins, or ends, with it: for `standsAlone` to say. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Words this long are not put together by chance from pieces of others (`pass word`, `passw ord`). */
const splitMin = 6;
/** What an ending may add to a word in pieces (`pass words`). */
const endingMax = 3;
/** The letters that fillers around a question, or a warning, may take. */
const fillersMax = 200;

/** Every phrase of the word lists that a line contains by the rules of `Words`, in no order. */
export function findMatches(line: Line, reading: Reading): Match[] {
  const matches: Match[] = [];
  const keep = (pattern: Pattern<Meaning>, start: number, end: number) => {
    if (!pattern.isOpenAtEnd && line.gaps[end] === nothing) return;
    if (!isRepeatedEnough(line, pattern, start)) return;
    if (!isSplitAsAllowed(line, pattern, start, end)) return;
    const { meaning, isFirst, isLast } = pattern;
    matches.push({ meaning, start, end, isFirst, isLast });
  };
  walk(lexiconOf(reading).phrases, line, keep);
  return matches;
}

/** Whether a field has nothing but fillers where the match wants to be first or last. */
export function standsAlone(line: Line, reading: Reading, { start, end, isFirst, isLast }: Match): boolean {
  const { fillers } = lexiconOf(reading);
  if (isFirst && !isCovered(line, fieldStartBefore(line, start), start, fillers)) return false;
  return !isLast || isCovered(line, end, fieldEndAfter(line, end), fillers);
}

/** `CVV` has one V more than `CV`; more than that makes no other word. */
const isRepeatedEnough = ({ repeats }: Line, pattern: Pattern<Meaning>, start: number) =>
  pattern.repeats?.every((repeat, at) => (repeats[start + at] ?? 0) >= repeat) ?? true;

/** Spaces that the phrase itself does not have are a disguise, or chance; this tells which. */
function isSplitAsAllowed(line: Line, pattern: Pattern<Meaning>, start: number, end: number): boolean {
  const { gaps } = line;
  const isSplit = (at: number) => at > 0 && gaps[start + at] !== nothing;
  if (!pattern.parts.some((isPart, at) => isSplit(at) && !isPart)) return true;
  if (!isKind(pattern.meaning)) return false;
  if (pattern.isUnspaced) return gaps[start] !== nothing || gaps[end] !== nothing;
  if (gaps[start] === nothing || lettersToGap(line, end) > endingMax) return false;
  if (pattern.letters.length >= splitMin) return true;
  if (gaps[end] === nothing || pattern.repeats) return false;
  return pattern.letters.every((_, at) => at === 0 || isSplit(at));
}

function lettersToGap({ gaps }: Line, from: number): number {
  let to = from;
  while (gaps[to] === nothing && to - from <= endingMax) to += 1;
  return to - from;
}

/** The beginning of the field, or what is too far from `at` to matter. */
function fieldStartBefore({ gaps }: Line, at: number): number {
  let start = at;
  while (gaps[start] !== fieldEnd && at - start <= fillersMax) start -= 1;
  return start;
}

function fieldEndAfter({ gaps }: Line, at: number): number {
  let end = at;
  while (gaps[end] !== fieldEnd && end - at <= fillersMax) end += 1;
  return end;
}

/** Whether the letters consist of nothing but the given words, single letters and what the given matches cover. */
export function isCovered(
  line: Line,
  from: number,
  to: number,
  words: Trie<Pattern<'filler'>>,
  matches: readonly Match[] = [],
): boolean {
  if (to - from > fillersMax) return false;
  const reached = new Set([from]);
  for (const at of reached) {
    if (at === to) return true;
    if (line.gaps[at] !== nothing && line.gaps[at + 1] !== nothing) reached.add(at + 1);
    for (const { start, end } of matches) if (start === at && end <= to) reached.add(end);
    walkFrom(words, line, at, ({ isOpenAtEnd }, _, end) => {
      if (end <= to && (isOpenAtEnd || line.gaps[end] !== nothing)) reached.add(end);
    });
  }
  return false;
}
