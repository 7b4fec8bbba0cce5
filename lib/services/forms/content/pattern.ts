import type { Reading } from './characters';
import { m, n, normalize, r } from './normalize';

/** One form in which a phrase of a word list may appear in a normalized text. */
export interface Pattern extends Spelling {
  /** Any of the flags below. */
  readonly flags: number;
}

interface Spelling {
  readonly letters: readonly number[];
  /** `spaces[i]`: the phrase itself has a space before its letter i. */
  readonly spaces: readonly boolean[];
  /** How often each letter is repeated at least; undefined when none is. */
  readonly repeats: readonly number[] | undefined;
}

/** The word may begin earlier, or continue. */
export const [openAtStart, openAtEnd] = [1, 2];
/** Of a script that puts no spaces between words. */
export const unspaced = 4;
/** Nothing but fillers may come before it, or after it. */
export const [first, last] = [8, 16];

/** Shorter words are other words backwards: `nip` is the tax number of Poland. */
const reversedMin = 6;
/** Shorter words of other alphabets match Latin words by chance in the visual reading. */
const foreignMin = 5;

/** The phrases that an entry of a word list stands for: `{your|} card` is `your card` and ` card`. */
export function expandAlternatives(entry: string): string[] {
  if (!entry.includes('{')) return [entry];
  const [alternatives, end] = alternativesFrom(entry, 0);
  if (end < entry.length) throw new Error(`unpaired brace in the entry ${entry}`);
  return [...new Set(alternatives)];
}

/** Reads the group that starts at `from`, up to its closing brace. Returns its alternatives and where it ends. */
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
      const next = nextDelimiter(entry, at + 1);
      append([entry.slice(at, next)]);
      at = next;
    }
  }
  return [[...finished, ...current], at];
}

function nextDelimiter(entry: string, from: number): number {
  let at = from;
  while (at < entry.length && !'{|}'.includes(entry[at] ?? '')) at += 1;
  return at;
}

/**
 * The patterns that find a phrase in texts of one reading; none when that reading cannot show it.
 * @param isForbidden vv for w in forbidden phrases is left to the visual reading; harmless phrases have it in both
 */
export function patternsOf(phrase: string, reading: Reading, isForbidden: boolean): Pattern[] {
  const start = phrase.startsWith('^') ? 1 : 0;
  const end = phrase.endsWith('$') ? phrase.length - 1 : phrase.length;
  const isOpenAtStart = phrase[start] === '*';
  const isOpenAtEnd = phrase[end - 1] === '*';
  const words = phrase.slice(start + (isOpenAtStart ? 1 : 0), end - (isOpenAtEnd ? 1 : 0)).trim();
  if (/[*^$]/.test(words)) throw new Error(`misplaced *, ^ or $ in the phrase ${phrase}`);
  const spelling = spell(words, reading);
  if (!spelling) return [];
  const isUnspacedAtStart = isUnspaced(spelling.letters[0]);
  const flags =
    (isOpenAtStart || isUnspacedAtStart ? openAtStart : 0) |
    (isOpenAtEnd || isUnspaced(spelling.letters.at(-1)) ? openAtEnd : 0) |
    (isUnspacedAtStart ? unspaced : 0) |
    (start > 0 ? first : 0) |
    (end < phrase.length ? last : 0);
  const spellings = reading === 'visual' || !isForbidden ? [spelling, ...withDoubleV(spelling)] : [spelling];
  // Named one by one: a spread adds a sixth to the time that compiling all word lists takes.
  return spellings
    .flatMap(contractions)
    .map(({ letters, spaces, repeats }) => ({ letters, spaces, repeats, flags }));
}

/** A word as it reads backwards; undefined for phrases, and for words that are too short. */
export function reversed({ letters, spaces, repeats, flags }: Pattern): Pattern | undefined {
  if (letters.length < reversedMin || spaces.includes(true) || (flags & (first | last)) !== 0) {
    return undefined;
  }
  return {
    letters: letters.toReversed(),
    spaces,
    repeats: repeats?.toReversed(),
    flags: (flags & unspaced) | (flags & openAtStart ? openAtEnd : 0) | (flags & openAtEnd ? openAtStart : 0),
  };
}

/** vv looks like w, but w does not look like vv: `CW` is not `CVV`. */
function withDoubleV({ letters, spaces }: Spelling): Spelling[] {
  if (!letters.includes(w)) return [];
  return [
    {
      letters: letters.flatMap((letter) => (letter === w ? [v, v] : [letter])),
      spaces: letters.flatMap((letter, at) => {
        const hasSpace = spaces[at] === true;
        return letter === w ? [hasSpace, false] : [hasSpace];
      }),
      repeats: undefined,
    },
  ];
}

const [v, w] = [118, 119];

/** The letters of words in a reading; undefined when it cannot show them. */
function spell(words: string, reading: Reading): Spelling | undefined {
  const letters: number[] = [];
  const spaces: boolean[] = [];
  let isAfterSpace = false;
  let isForeign = false;
  for (const char of words.normalize('NFC')) {
    const read = readChar(char, reading);
    if (!read.isShown) return undefined;
    isForeign ||= read.isForeign;
    if (read.isSpace) isAfterSpace = letters.length > 0;
    for (const letter of read.letters) {
      letters.push(letter);
      spaces.push(isAfterSpace);
      isAfterSpace = false;
    }
  }
  const isTooShort = reading === 'visual' && isForeign && letters.length < foreignMin;
  return letters.length === 0 || isTooShort ? undefined : { letters, spaces, repeats: undefined };
}

interface Char {
  readonly letters: readonly number[];
  readonly isSpace: boolean;
  /** The literal reading shows no digits; the visual one only digits and scripts that resemble Latin. */
  readonly isShown: boolean;
  /** Of another script that resembles Latin. */
  readonly isForeign: boolean;
}

function readChar(char: string, reading: Reading): Char {
  const known = chars[reading].get(char);
  if (known) return known;
  const { letters, length } = normalize([char], reading);
  const read = {
    letters: Array.from(letters.subarray(0, length)),
    isSpace: /[\s\p{P}]/u.test(char),
    isShown:
      reading === 'visual'
        ? /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}\s\p{P}\p{M}]/u.test(char)
        : !/\p{N}/u.test(char),
    isForeign: /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(char),
  };
  chars[reading].set(char, read);
  return read;
}

const chars: Readonly<Record<Reading, Map<string, Char>>> = { literal: new Map(), visual: new Map() };

/**
 * The forms that normalized texts may have: repeated letters once and rn as m, except where a space keeps two letters
 * apart, in the phrase or in a disguise.
 */
function contractions(spelling: Spelling): Spelling[] {
  const { letters } = spelling;
  if (!letters.some((letter, at) => isContraction(letters[at - 1], letter))) return [spelling];
  const forms = [contract(spelling, true), contract(spelling, false), spelling];
  return [...new Map(forms.map((form) => [form.letters.length, form])).values()];
}

const isContraction = (before: number | undefined, letter: number) =>
  before === letter || (before === r && letter === n);

function contract({ letters, spaces }: Spelling, isAcrossSpaces: boolean): Spelling {
  const contracted: number[] = [];
  const spacesLeft: boolean[] = [];
  const repeats: number[] = [];
  letters.forEach((letter, at) => {
    const end = contracted.length - 1;
    const before = contracted[end];
    const mayContract = isAcrossSpaces || spaces[at] !== true;
    if (mayContract && before === letter) repeats[end] = (repeats[end] ?? 0) + 1;
    else if (mayContract && isContraction(before, letter)) contracted[end] = m;
    else {
      contracted.push(letter);
      spacesLeft.push(spaces[at] === true);
      repeats.push(0);
    }
  });
  const isRepeated = repeats.some((repeat) => repeat > 0);
  return { letters: contracted, spaces: spacesLeft, repeats: isRepeated ? repeats : undefined };
}

/** Scripts that put no spaces between words (Thai, Han, kana), or endings onto them (Hangul). */
function isUnspaced(letter = 0): boolean {
  if (letter >= 0x1100 && letter < 0x1200) return true;
  return (letter >= 0xe00 && letter < 0xe80) || (letter >= 0x3040 && letter < 0xa000);
}
