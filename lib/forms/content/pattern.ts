import type { Reading } from './letters';
import { m, n, r, readLine } from './line';

/** One way in which an entry of a word list may stand in a line. */
export interface Pattern<Meaning> {
  readonly meaning: Meaning;
  readonly letters: readonly number[];
  /** How often each letter is repeated at least; undefined, if none is. */
  readonly repeats: readonly number[] | undefined;
  /** `parts[i]`: the entry itself has a space before its letter i. */
  readonly parts: readonly boolean[];
  /** The word may have begun earlier, or go on. */
  readonly isOpenAtStart: boolean;
  readonly isOpenAtEnd: boolean;
  /** Of a script that puts no spaces between words. */
  readonly isUnspaced: boolean;
  /** The question must begin, or end, with it. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Backwards, shorter words are other words: `nip` is the tax number of Poland. */
const backwardsMin = 6;
/** In the glyphs of another alphabet, shorter words are chance. */
const foreignMin = 5;

/** The alternatives of an entry: `{your|} card` is `your card` and ` card`. */
export function spellOut(entry: string): string[] {
  const innermost = /\{([^{}]*)\}/.exec(entry);
  if (!innermost) return [entry];
  const before = entry.slice(0, innermost.index);
  const after = entry.slice(innermost.index + innermost[0].length);
  const choices = (innermost[1] ?? '').split('|');
  return [...new Set(choices.flatMap((choice) => spellOut(before + choice + after)))];
}

/** The patterns by which a phrase is found in lines of one reading; none, where that reading cannot show it. */
export function patternsOf<Meaning>(phrase: string, meaning: Meaning, reading: Reading): Pattern<Meaning>[] {
  const words = phrase.replace(/^\^?\*?|\*?\$?$/g, '').trim();
  if (/[*^$]/.test(words)) throw new Error(`a sign within the phrase ${phrase}`);
  const spelled = spell(words, reading);
  if (!isShownIn(words, spelled.length, reading)) return [];
  const pattern = {
    meaning,
    isUnspaced: isUnspaced(spelled[0]?.letter),
    isOpenAtStart: /^\^?\*/.test(phrase) || isUnspaced(spelled[0]?.letter),
    isOpenAtEnd: /\*\$?$/.test(phrase) || isUnspaced(spelled.at(-1)?.letter),
    isFirst: phrase.startsWith('^'),
    isLast: phrase.endsWith('$'),
  };
  return [spelled, ...inDoubleV(spelled)].flatMap(contractions).map((letters) => ({
    ...pattern,
    letters: letters.map(({ letter }) => letter),
    repeats: letters.some(({ repeats }) => repeats > 0) ? letters.map(({ repeats }) => repeats) : undefined,
    parts: letters.map(({ isPart }) => isPart),
  }));
}

/** A word as it reads backwards, if it is long enough to mean anything. */
export function backwards<Meaning>(pattern: Pattern<Meaning>): Pattern<Meaning>[] {
  if (pattern.letters.length < backwardsMin || pattern.parts.includes(true)) return [];
  if (pattern.isFirst || pattern.isLast) return [];
  return [
    {
      ...pattern,
      letters: pattern.letters.toReversed(),
      repeats: pattern.repeats?.toReversed(),
      isOpenAtStart: pattern.isOpenAtEnd,
      isOpenAtEnd: pattern.isOpenAtStart,
    },
  ];
}

/** vv passes for w, but not w for vv: a `CW` is no `CVV`. */
function inDoubleV(spelled: readonly Spelled[]): Spelled[][] {
  if (!spelled.some(({ letter }) => letter === w)) return [];
  return [
    spelled.flatMap((one) =>
      one.letter === w
        ? [
            { ...one, letter: v },
            { ...one, letter: v, isPart: false },
          ]
        : [one],
    ),
  ];
}

const [v, w] = [118, 119];

interface Spelled {
  readonly letter: number;
  readonly isPart: boolean;
  readonly repeats: number;
}

function spell(words: string, reading: Reading): Spelled[] {
  const spelled: Spelled[] = [];
  let isPart = false;
  for (const char of words.normalize('NFC')) {
    if (/[\s\p{P}]/u.test(char)) isPart = spelled.length > 0;
    for (const letter of lettersOfChar(char, reading)) {
      spelled.push({ letter, isPart, repeats: 0 });
      isPart = false;
    }
  }
  return spelled;
}

/** Each by itself, as repeated letters count here. */
function lettersOfChar(char: string, reading: Reading): readonly number[] {
  const known = chars[reading].get(char);
  if (known) return known;
  const { letters, length } = readLine([char], reading);
  const list = Array.from(letters.subarray(0, length));
  chars[reading].set(char, list);
  return list;
}

const chars: Readonly<Record<Reading, Map<string, readonly number[]>>> = {
  written: new Map(),
  looks: new Map(),
};

/** As a line has it: repeated letters once and rn as m, save where a space keeps them apart, in the entry or in a disguise. */
function contractions(spelled: readonly Spelled[]): Spelled[][] {
  const forms = [contract(spelled, () => true), contract(spelled, ({ isPart }) => !isPart), [...spelled]];
  return [...new Map(forms.map((form) => [form.length, form])).values()];
}

function contract(spelled: readonly Spelled[], isContracted: (one: Spelled) => boolean): Spelled[] {
  const contracted: Spelled[] = [];
  for (const one of spelled) {
    const before = contracted.at(-1);
    if (before?.letter === one.letter && isContracted(one)) {
      contracted[contracted.length - 1] = { ...before, repeats: before.repeats + 1 };
    } else if (before?.letter === r && one.letter === n && isContracted(one)) {
      contracted[contracted.length - 1] = { ...before, letter: m };
    } else contracted.push(one);
  }
  return contracted;
}

/** Digits are letters in `looks` alone, and of other scripts it shows only those that resemble Latin letter by letter. */
function isShownIn(words: string, length: number, reading: Reading): boolean {
  if (length === 0) return false;
  if (reading === 'written') return !/\p{N}/u.test(words);
  if (/[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}\s\p{P}\p{M}]/u.test(words)) return false;
  return length >= foreignMin || !/[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(words);
}

/** Scripts that put no spaces between words (Thai, Han, kana), or endings onto them (Hangul). */
function isUnspaced(letter = 0): boolean {
  if (letter >= 0x1100 && letter < 0x1200) return true;
  return (letter >= 0xe00 && letter < 0xe80) || (letter >= 0x3040 && letter < 0xa000);
}
