import type { Field } from './fields';
import { mayBeDisguised, type Reading, readings } from './letters';
import { lexiconOf } from './lexicon';
import { fieldEnd, type Line, readLine } from './line';
import { findMatches, isCovered, type Match, standsAlone } from './matches';
import { isKind, type Kind } from './words/language';

export interface Finding {
  readonly field: Field;
  readonly kind: Kind;
}

/** The first half of a phrase is no longer than this, and the second half ends by then. */
const headMax = 60;
const rowMax = 160;

/** What each of the fields asks for by itself. */
export function judgeFields(fields: readonly Field[]): Finding[] {
  return readings.flatMap((reading) => {
    const read = reading === 'looks' ? fields.filter(({ text }) => mayBeDisguised(text)) : fields;
    const line = readLine(
      read.map(({ text }) => text),
      reading,
    );
    const byField = new Map<number, Match[]>();
    for (const match of findMatches(line, reading)) {
      const index = fieldAt(line, match.start);
      if (match.end > (line.starts[index + 1] ?? line.length)) continue;
      const matches = byField.get(index);
      if (matches) matches.push(match);
      else byField.set(index, [match]);
    }
    return [...byField].flatMap(([index, matches]) => findingsOf(read[index], matches, line, reading));
  });
}

/** What the first field of a row asks for together with those that follow it. */
export function judgeRow([head, ...rest]: readonly Field[]): Finding[] {
  if (!head || head.text.length > headMax) return [];
  const texts = [head.text];
  let left = rowMax - head.text.length;
  for (const { text } of rest) {
    if (left <= 0) break;
    texts.push(text.slice(0, left));
    left -= text.length;
  }
  return readings.flatMap((reading) => {
    if (reading === 'looks' && !texts.some(mayBeDisguised)) return [];
    const line = readLine(texts, reading);
    const matches = findMatches(line, reading).filter(
      (match) => !isKind(match.meaning) || (runsOver(match, line) && isAtStart(match, line, reading)),
    );
    return findingsOf(head, matches, line, reading);
  });
}

/** What the matches in a field amount to when those that a look-alike explains are gone. */
function findingsOf(
  field: Field | undefined,
  matches: readonly Match[],
  line: Line,
  reading: Reading,
): Finding[] {
  if (!field || !matches.some(({ meaning }) => isKind(meaning))) return [];
  const dismissing = matches.filter(
    ({ meaning }) => meaning === 'look_alike' || (meaning === 'about' && field.part === 'choice'),
  );
  return matches.flatMap((match) => {
    const { meaning, start, end, isFirst, isLast } = match;
    if (!isKind(meaning)) return [];
    if (dismissing.some((phrase) => phrase.start <= start && end <= phrase.end)) return [];
    if ((isFirst || isLast) && !(field.part === 'free' && standsAlone(line, reading, match))) return [];
    return [{ field, kind: meaning }];
  });
}

const runsOver = ({ start, end }: Match, { gaps }: Line) => gaps.subarray(start + 1, end).includes(fieldEnd);

/**
 * Whether a phrase fills the first field from its beginning. `Card` and `Number on the front` are one question; `Business
 * card` and `Number of copies` are two.
 */
const isAtStart = ({ start }: Match, line: Line, reading: Reading) =>
  isCovered(line, 0, start, lexiconOf(reading).fillers);

/** The field to which a letter belongs. */
function fieldAt({ starts }: Line, letter: number): number {
  let [from, to] = [0, starts.length];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if ((starts[middle] ?? 0) <= letter) from = middle;
    else to = middle;
  }
  return from;
}
