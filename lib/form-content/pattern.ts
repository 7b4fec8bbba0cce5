import type { Reading } from './letters';
import { m, n, r, readLine } from './line';

/** One way in which an entry of a word list may stand in a line. */
export interface Pattern extends Spelling {
  /** Any of the flags below. */
  readonly flags: number;
}

interface Spelling {
  readonly letters: readonly number[];
  /** `parts[i]`: the entry itself has a space before its letter i. */
  readonly parts: readonly boolean[];
  /** How often each letter is repeated at least; undefined, if none is. */
  readonly repeats: readonly number[] | undefined;
}

/** The word may have begun earlier, or go on. */
export const [openAtStart, openAtEnd] = [1, 2];
/** Of a script that puts no spaces between words. */
export const unspaced = 4;
/** The question must begin, or end, with it. */
export const [first, last] = [8, 16];

/** Backwards, shorter words are other words: `nip` is the tax number of Poland. */
const backwardsMin = 6;
/** In the glyphs of another alphabet, shorter words are chance. */
const foreignMin = 5;

/** The alternatives of an entry: `{your|} card` is `your card` and ` card`. */
export function spellOut(entry: string): string[] {
  if (!entry.includes('{')) return [entry];
  const [alternatives, end] = alternativesFrom(entry, 0);
  if (end < entry.length) throw new Error(`an unpaired brace in the entry ${entry}`);
  return [...new Set(alternatives)];
}

/** Reads up to the brace that closes the group in which `from` is; gives its alternatives and where it ends. */
function alternativesFrom(entry: string, from: number): [alternatives: string[], end: number] {
  const finished: string[] = [];
  let current = [''];
  let at = from;
  const append = (endings: readonly string[]) => {
    current = current.flatMap((beginning) => endings.map((ending) => beginning + ending));
  };
  while (at < entry.length && entry[at] !== '}') {
    if (entry[at] === '{') {
      const [inner, end] = alternativesFrom(entry, at + 1);
      append(inner);
      at = end + 1;
    } else if (entry[at] === '|' && from > 0) {
      finished.push(...current);
      current = [''];
      at += 1;
    } else {
      const next = nextSign(entry, at + 1);
      append([entry.slice(at, next)]);
      at = next;
    }
  }
  return [[...finished, ...current], at];
}

function nextSign(entry: string, from: number): number {
  let at = from;
  while (at < entry.length && !'{|}'.includes(entry[at] ?? '')) at += 1;
  return at;
}

/**
 * The patterns by which a phrase is found in lines of one reading; none, where that reading cannot show it.
 * @param isSecret whether it is forbidden: then vv for w is left to `looks`, while what explains a secret is found so in both
 */
export function patternsOf(phrase: string, reading: Reading, isSecret: boolean): Pattern[] {
  const atStart = phrase.startsWith('^') ? 1 : 0;
  const atEnd = phrase.endsWith('$') ? phrase.length - 1 : phrase.length;
  const isOpenAtStart = phrase[atStart] === '*';
  const isOpenAtEnd = phrase[atEnd - 1] === '*';
  const words = phrase.slice(atStart + (isOpenAtStart ? 1 : 0), atEnd - (isOpenAtEnd ? 1 : 0)).trim();
  if (/[*^$]/.test(words)) throw new Error(`a sign within the phrase ${phrase}`);
  const spelled = spell(words, reading);
  if (!spelled) return [];
  const isUnspacedAtStart = isUnspaced(spelled.letters[0]);
  const flags =
    (isOpenAtStart || isUnspacedAtStart ? openAtStart : 0) |
    (isOpenAtEnd || isUnspaced(spelled.letters.at(-1)) ? openAtEnd : 0) |
    (isUnspacedAtStart ? unspaced : 0) |
    (atStart > 0 ? first : 0) |
    (atEnd < phrase.length ? last : 0);
  return [spelled, ...(reading === 'looks' || !isSecret ? inDoubleV(spelled) : [])]
    .flatMap(contractions)
    .map(({ letters, parts, repeats }) => ({ letters, parts, repeats, flags }));
}

/** A word as it reads backwards, if it is long enough to mean anything. */
export function backwards({ letters, parts, repeats, flags }: Pattern): Pattern | undefined {
  if (letters.length < backwardsMin || parts.includes(true) || (flags & (first | last)) !== 0)
    return undefined;
  return {
    letters: letters.toReversed(),
    parts,
    repeats: repeats?.toReversed(),
    flags: (flags & unspaced) | (flags & openAtStart ? openAtEnd : 0) | (flags & openAtEnd ? openAtStart : 0),
  };
}

/** vv passes for w, but not w for vv: a `CW` is no `CVV`. */
function inDoubleV({ letters, parts }: Spelling): Spelling[] {
  if (!letters.includes(w)) return [];
  return [
    {
      letters: letters.flatMap((letter) => (letter === w ? [v, v] : [letter])),
      parts: letters.flatMap((letter, at) =>
        letter === w ? [parts[at] === true, false] : [parts[at] === true],
      ),
      repeats: undefined,
    },
  ];
}

const [v, w] = [118, 119];

/** The letters of words as a reading shows them; undefined, if it cannot. */
function spell(words: string, reading: Reading): Spelling | undefined {
  const letters: number[] = [];
  const parts: boolean[] = [];
  let isPart = false;
  let isForeign = false;
  for (const char of words.normalize('NFC')) {
    const read = readChar(char, reading);
    if (!read.isShown) return undefined;
    isForeign ||= read.isForeign;
    if (read.partsWords) isPart = letters.length > 0;
    for (const letter of read.letters) {
      letters.push(letter);
      parts.push(isPart);
      isPart = false;
    }
  }
  const isTooShort = reading === 'looks' && isForeign && letters.length < foreignMin;
  return letters.length === 0 || isTooShort ? undefined : { letters, parts, repeats: undefined };
}

interface Char {
  /** Each by itself, as repeated letters count here. */
  readonly letters: readonly number[];
  readonly partsWords: boolean;
  /** Digits are letters in `looks` alone, and of other scripts it shows only those that resemble Latin letter by letter. */
  readonly isShown: boolean;
  /** Of a script that resembles Latin. */
  readonly isForeign: boolean;
}

function readChar(char: string, reading: Reading): Char {
  const known = chars[reading].get(char);
  if (known) return known;
  const { letters, length } = readLine([char], reading);
  const read = {
    letters: Array.from(letters.subarray(0, length)),
    partsWords: /[\s\p{P}]/u.test(char),
    isShown:
      reading === 'looks'
        ? /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}\s\p{P}\p{M}]/u.test(char)
        : !/\p{N}/u.test(char),
    isForeign: /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(char),
  };
  chars[reading].set(char, read);
  return read;
}

const chars: Readonly<Record<Reading, Map<string, Char>>> = { written: new Map(), looks: new Map() };

/** As a line has it: repeated letters once and rn as m, save where a space keeps them apart, in the entry or in a disguise. */
function contractions(spelled: Spelling): Spelling[] {
  const { letters } = spelled;
  if (!letters.some((letter, at) => isContraction(letters[at - 1], letter))) return [spelled];
  const forms = [contract(spelled, true), contract(spelled, false), spelled];
  return [...new Map(forms.map((form) => [form.letters.length, form])).values()];
}

const isContraction = (before: number | undefined, letter: number) =>
  before === letter || (before === r && letter === n);

function contract({ letters, parts }: Spelling, isOverParts: boolean): Spelling {
  const contracted: number[] = [];
  const partsLeft: boolean[] = [];
  const repeats: number[] = [];
  letters.forEach((letter, at) => {
    const end = contracted.length - 1;
    const before = contracted[end];
    const mayContract = isOverParts || parts[at] !== true;
    if (mayContract && before === letter) repeats[end] = (repeats[end] ?? 0) + 1;
    else if (mayContract && isContraction(before, letter)) contracted[end] = m;
    else {
      contracted.push(letter);
      partsLeft.push(parts[at] === true);
      repeats.push(0);
    }
  });
  const isRepeated = repeats.some((repeat) => repeat > 0);
  return { letters: contracted, parts: partsLeft, repeats: isRepeated ? repeats : undefined };
}

/** Scripts that put no spaces between words (Thai, Han, kana), or endings onto them (Hangul). */
function isUnspaced(letter = 0): boolean {
  if (letter >= 0x1100 && letter < 0x1200) return true;
  return (letter >= 0xe00 && letter < 0xe80) || (letter >= 0x3040 && letter < 0xa000);
}
