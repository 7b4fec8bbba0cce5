import { leadingTo, reachedFrom } from './covered';
import type { Field } from './fields';
import { readings } from './letters';
import { type Lexicon, lexiconOf, meanings } from './lexicon';
import { fieldEnd, type Line, readLine } from './line';
import { isAsWritten } from './matches';
import { first, last } from './pattern';
import { findAll, findFrom, meaningOf, nextStart } from './trie';
import { type Kind, kinds } from './words/language';

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
    const read = reading === 'looks' ? fields.filter(({ isDisguised }) => isDisguised) : fields;
    const line = readLine(
      read.map(({ text }) => text),
      reading,
    );
    const lexicon = lexiconOf(reading);
    return read.flatMap((field, index) => {
      const stretch = { line, start: line.starts[index] ?? 0, end: line.starts[index + 1] ?? line.length };
      return kindsIn(stretch, field.part, lexicon).map((kind) => ({ field, kind }));
    });
  });
}

/** The letters of one field. */
interface Stretch {
  readonly line: Line;
  readonly start: number;
  readonly end: number;
}

/** A forbidden phrase, unless a look-alike explains it. */
interface Suspect {
  readonly mark: number;
  readonly start: number;
  readonly end: number;
}

const [lookAlike, about] = [meanings.indexOf('look_alike'), meanings.indexOf('about')];

/**
 * The kinds of secret that a field names. A phrase is dismissed by a look-alike that contains it, and so begins no later:
 * going from left to right, all that matters of the look-alikes is how far they reach. What was found once is not looked
 * for again, so that a field full of secrets takes no longer than others.
 */
function kindsIn(stretch: Stretch, part: Field['part'], { phrases, fillers }: Lexicon): Kind[] {
  const { line, end: fieldEnds } = stretch;
  const found = new Set<number>();
  let explainedTo = 0;
  let suspects: Suspect[] = [];
  const isAlone = alonenessIn(stretch, fillers);
  const note = (entry: number, start: number, end: number, splits: number, laterSplits: number) => {
    const mark = phrases.marks[entry] ?? 0;
    const meaning = meaningOf(mark);
    const isSuspect = meaning < kinds.length;
    if (isSuspect ? found.has(meaning) : !isExplaining(meaning, part) || end <= explainedTo) return;
    if (!isAsWritten(phrases, line, entry, start, end, splits, laterSplits)) return;
    if (isSuspect) suspects.push({ mark, start, end });
    else explainedTo = end;
  };
  let at = nextStart(phrases, line, stretch.start, fieldEnds);
  while (at < fieldEnds && found.size < kinds.length) {
    findFrom(phrases, line, at, fieldEnds, note);
    for (const suspect of suspects) {
      if (suspect.end > explainedTo && (!mustBeAlone(suspect) || (part === 'free' && isAlone(suspect)))) {
        found.add(meaningOf(suspect.mark));
      }
    }
    if (suspects.length > 0) suspects = [];
    at = nextStart(phrases, line, at + 1, fieldEnds);
  }
  return kindsOf(found);
}

const kindsOf = (found: ReadonlySet<number>): Kind[] => [...found].flatMap((meaning) => kinds[meaning] ?? []);

const isExplaining = (meaning: number, part: Field['part']) =>
  meaning === lookAlike || (meaning === about && part === 'choice');

const mustBeAlone = ({ mark }: Suspect) => (mark & (first | last)) !== 0;

/** Tells whether a field has nothing but fillers where a phrase wants to be first or last. */
function alonenessIn({ line, start, end }: Stretch, fillers: Lexicon['fillers']) {
  let before: ReadonlySet<number> | undefined;
  let after: ReadonlySet<number> | undefined;
  return (suspect: Suspect): boolean => {
    if ((suspect.mark & first) !== 0) {
      before ??= reachedFrom(line, start, end, fillers);
      if (!before.has(suspect.start)) return false;
    }
    if ((suspect.mark & last) === 0) return true;
    after ??= leadingTo(line, start, end, fillers);
    return after.has(suspect.end);
  };
}

/** What the first field of a row asks for together with those that follow it from `at` on. */
export function judgeRow(row: readonly Field[], at: number): Finding[] {
  const head = row[at];
  if (!head || head.text.length > headMax) return [];
  const texts = [head.text];
  let isDisguised = head.isDisguised;
  let left = rowMax - head.text.length;
  for (let next = at + 1; next < row.length && left > 0; next += 1) {
    const text = row[next]?.text ?? '';
    texts.push(text.slice(0, left));
    isDisguised ||= row[next]?.isDisguised ?? false;
    left -= text.length;
  }
  return readings.flatMap((reading) => {
    if (reading === 'looks' && !isDisguised) return [];
    const line = readLine(texts, reading);
    return kindsOverFields(line, head.part, lexiconOf(reading)).map((kind) => ({ field: head, kind }));
  });
}

/**
 * The kinds that phrases name which run over several fields and fill the first one from its beginning: `Card` and `Number on
 * the front` are one question; `Business card` and `Number of copies` are two.
 */
function kindsOverFields(line: Line, part: Field['part'], { phrases, fillers }: Lexicon): Kind[] {
  const suspects: Suspect[] = [];
  for (const start of reachedFrom(line, 0, line.length, fillers)) {
    findFrom(phrases, line, start, line.length, (entry, _, end, splits, laterSplits) => {
      const mark = phrases.marks[entry] ?? 0;
      if (meaningOf(mark) >= kinds.length || !line.gaps.subarray(start + 1, end).includes(fieldEnd)) return;
      if (!isAsWritten(phrases, line, entry, start, end, splits, laterSplits)) return;
      const suspect = { mark, start, end };
      const isMeant = !mustBeAlone(suspect) || (part === 'free' && isAloneInRow(line, suspect, fillers));
      if (isMeant) suspects.push(suspect);
    });
  }
  if (suspects.length === 0) return [];
  const explained = explanationsIn(line, part, phrases);
  const left = suspects.filter(
    ({ start, end }) => !explained.some((phrase) => phrase.start <= start && end <= phrase.end),
  );
  return kindsOf(new Set(left.map(({ mark }) => meaningOf(mark))));
}

/** Alone in the fields in which it begins and ends. */
function isAloneInRow(line: Line, suspect: Suspect, fillers: Lexicon['fillers']): boolean {
  const start = line.gaps.lastIndexOf(fieldEnd, suspect.start);
  const end = line.gaps.indexOf(fieldEnd, suspect.end);
  return alonenessIn({ line, start, end }, fillers)(suspect);
}

function explanationsIn(line: Line, part: Field['part'], phrases: Lexicon['phrases']): Suspect[] {
  const explained: Suspect[] = [];
  findAll(phrases, line, 0, line.length, (entry, start, end, splits, laterSplits) => {
    const mark = phrases.marks[entry] ?? 0;
    if (!isExplaining(meaningOf(mark), part)) return;
    if (isAsWritten(phrases, line, entry, start, end, splits, laterSplits))
      explained.push({ mark, start, end });
  });
  return explained;
}
