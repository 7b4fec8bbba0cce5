import { readings } from './characters';
import type { Field } from './fields';
import { isForbidden, type Lexicon, lexiconOf, meanings } from './lexicon';
import { isMatch, leadingTo, reachableFrom, type Span } from './match';
import { fieldGap, type NormalizedText, normalize } from './normalize';
import { first, last } from './pattern';
import { findAll, findFrom, meaningOf, nextStart } from './trie';
import { type Kind, kinds } from './words/word-list';

export interface Finding {
  readonly field: Field;
  readonly kind: Kind;
}

/** A forbidden phrase in a text. */
interface Candidate extends Span {
  /** Of the phrase's entry: its meaning and flags. */
  readonly mark: number;
}

/** A field whose text is longer than this does not begin a phrase that continues in the next one. */
const rowStartMax = 60;
/** How many characters of a row are read. */
const rowMax = 160;

const [harmless, harmlessWithOptions] = [
  meanings.indexOf('harmless'),
  meanings.indexOf('harmlessWithOptions'),
];

/** What each field asks for by itself. */
export function checkFields(fields: readonly Field[]): Finding[] {
  return readings.flatMap((reading) => {
    const read = reading === 'visual' ? fields.filter(({ isDisguised }) => isDisguised) : fields;
    const text = normalize(
      read.map((field) => field.text),
      reading,
    );
    return read.flatMap((field, index) => {
      const span = { start: text.starts[index] ?? 0, end: text.starts[index + 1] ?? text.length };
      return kindsWithin(text, span, field.context, lexiconOf(reading)).map((kind) => ({ field, kind }));
    });
  });
}

/**
 * The kinds of secret that a field asks for. A harmless phrase excuses the forbidden phrases inside it, and starts no
 * later than they do. So, from left to right, only the end of the furthest harmless phrase matters. A kind that was
 * found is not looked for again, so a field full of secrets takes no longer than others.
 */
function kindsWithin(
  text: NormalizedText,
  field: Span,
  context: Field['context'],
  { phrases, fillers }: Lexicon,
): Kind[] {
  const found = new Set<number>();
  let harmlessUntil = 0;
  let candidates: Candidate[] = [];
  const standsAlone = aloneWithin(text, field, fillers);
  const consider = (entry: number, start: number, end: number) => {
    const mark = phrases.marks[entry] ?? 0;
    const meaning = meaningOf(mark);
    const isCandidate = isForbidden(meaning);
    if (isCandidate ? found.has(meaning) : !isHarmless(meaning, context) || end <= harmlessUntil) return;
    if (!isMatch(phrases, text, entry, start, end)) return;
    if (isCandidate) candidates.push({ mark, start, end });
    else harmlessUntil = end;
  };
  let at = nextStart(phrases, text, field.start, field.end);
  while (at < field.end && found.size < kinds.length) {
    findFrom(phrases, text, at, field.end, consider);
    for (const candidate of candidates) {
      const isExcused = candidate.end <= harmlessUntil;
      if (!isExcused && countsAlone(candidate, context, standsAlone)) found.add(meaningOf(candidate.mark));
    }
    if (candidates.length > 0) candidates = [];
    at = nextStart(phrases, text, at + 1, field.end);
  }
  return kindsOf(found);
}

const kindsOf = (found: ReadonlySet<number>): Kind[] => [...found].flatMap((meaning) => kinds[meaning] ?? []);

const isHarmless = (meaning: number, context: Field['context']) =>
  meaning === harmless || (meaning === harmlessWithOptions && context === 'choice');

/** A word of many meanings, such as `PIN`, asks for a secret only as a whole question that is answered in words. */
function countsAlone(
  candidate: Candidate,
  context: Field['context'],
  standsAlone: (candidate: Candidate) => boolean,
): boolean {
  const mustStandAlone = (candidate.mark & (first | last)) !== 0;
  return !mustStandAlone || (context === 'open' && standsAlone(candidate));
}

/** Tells whether there are only fillers where a phrase must be first or last. Computes each side once per field. */
function aloneWithin(text: NormalizedText, { start, end }: Span, fillers: Lexicon['fillers']) {
  let before: ReadonlySet<number> | undefined;
  let after: ReadonlySet<number> | undefined;
  return (candidate: Candidate): boolean => {
    if ((candidate.mark & first) !== 0) {
      before ??= reachableFrom(text, start, end, fillers);
      if (!before.has(candidate.start)) return false;
    }
    if ((candidate.mark & last) === 0) return true;
    after ??= leadingTo(text, start, end, fillers);
    return after.has(candidate.end);
  };
}

/** What fields in a row ask for together. Reports the field where the phrase starts. */
export function checkRow(row: readonly Field[]): Finding[] {
  return row.flatMap((field, at) => judgeRowStart(field, row.slice(at + 1)));
}

function judgeRowStart(field: Field, following: readonly Field[]): Finding[] {
  if (field.text.length > rowStartMax) return [];
  const texts = [field.text];
  let { isDisguised } = field;
  let left = rowMax - field.text.length;
  for (const next of following) {
    if (left <= 0) break;
    texts.push(next.text.slice(0, left));
    isDisguised ||= next.isDisguised;
    left -= next.text.length;
  }
  return readings.flatMap((reading) => {
    if (reading === 'visual' && !isDisguised) return [];
    const text = normalize(texts, reading);
    return kindsAcross(text, field.context, lexiconOf(reading)).map((kind) => ({ field, kind }));
  });
}

/**
 * The kinds named by phrases that run across fields and fill the first one from its beginning: `Card` and `Number on
 * the front` are one question; `Business card` and `Number of copies` are two.
 */
function kindsAcross(text: NormalizedText, context: Field['context'], { phrases, fillers }: Lexicon): Kind[] {
  const candidates: Candidate[] = [];
  for (const from of reachableFrom(text, 0, text.length, fillers)) {
    findFrom(phrases, text, from, text.length, (entry, start, end) => {
      const mark = phrases.marks[entry] ?? 0;
      if (!isForbidden(meaningOf(mark)) || !text.gaps.subarray(start + 1, end).includes(fieldGap)) return;
      if (!isMatch(phrases, text, entry, start, end)) return;
      const candidate = { mark, start, end };
      if (countsAlone(candidate, context, (one) => standsAloneInRow(text, one, fillers)))
        candidates.push(candidate);
    });
  }
  if (candidates.length === 0) return [];
  const excuses = harmlessSpans(text, context, phrases);
  const counted = candidates.filter(
    ({ start, end }) => !excuses.some((excuse) => excuse.start <= start && end <= excuse.end),
  );
  return kindsOf(new Set(counted.map(({ mark }) => meaningOf(mark))));
}

/** Alone in the fields where it starts and ends. */
function standsAloneInRow(text: NormalizedText, candidate: Candidate, fillers: Lexicon['fillers']): boolean {
  const start = text.gaps.lastIndexOf(fieldGap, candidate.start);
  const end = text.gaps.indexOf(fieldGap, candidate.end);
  return aloneWithin(text, { start, end }, fillers)(candidate);
}

function harmlessSpans(text: NormalizedText, context: Field['context'], phrases: Lexicon['phrases']): Span[] {
  const spans: Span[] = [];
  findAll(phrases, text, 0, text.length, (entry, start, end) => {
    if (!isHarmless(meaningOf(phrases.marks[entry] ?? 0), context)) return;
    if (isMatch(phrases, text, entry, start, end)) spans.push({ start, end });
  });
  return spans;
}
