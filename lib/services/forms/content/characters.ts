import { confusablesMap } from 'confusables';
import * as tables from './character-tables';

/**
 * Each character can be read in two ways. The literal reading goes by what Unicode says a character is: case, accents
 * and compatibility forms disappear, digits and signs separate words. The visual reading goes by the Latin letter that
 * a character looks like, even for digits and signs. A secret counts when either reading finds it. Texts and word lists
 * are read by the same functions, so it does not matter which of several equivalent spellings they use.
 */
export const readings = ['literal', 'visual'] as const;
export type Reading = (typeof readings)[number];

/** Invisible, or only a mark: joiners, direction marks, variation selectors, combining marks. */
export const ignored = 1;
/** Separates words. */
export const wordBreak = 2;
/** Added to a letter that counts only when another letter follows in the same word: `!` is an i in `p!n` alone. */
export const signOffset = 0x200000;

/** A letter that no word list uses. */
const otherLetter = 0xffff;
/** Letters and emoji end here; results for all of Unicode would take 8 MB. */
const resultsLength = 0x20000;
/** Tags and the further variation selectors: the only invisible characters beyond `resultsLength`. */
const [tagsFrom, tagsEnd] = [0xe0000, 0xe1000];
/** U+FDFA alone stands for 18 letters; a text full of them must not grow so much. */
const spelledMax = 4;

/** What `readCodePoint` returned before, by code point; 0 where it has not been called. */
const results: Readonly<Record<Reading, Int32Array>> = {
  literal: new Int32Array(resultsLength),
  visual: new Int32Array(resultsLength),
};
const spelled: number[][] = [];
/** By code point, whether the two readings differ: 0 unknown, 1 no, 2 yes. */
const differences = new Uint8Array(resultsLength);

/**
 * Reads a code point as `ignored`, `wordBreak`, or a letter: its code point, or that plus `signOffset`. A negative
 * result stands for several letters, see `lettersOf`.
 */
export function readCodePoint(code: number, reading: Reading): number {
  if (code >= resultsLength) return code >= tagsFrom && code < tagsEnd ? ignored : otherLetter;
  const known = results[reading];
  if (known[code] === 0) known[code] = encode(String.fromCodePoint(code), reading);
  return known[code] ?? wordBreak;
}

/** What `readCodePoint` returned so far, by code point; 0 where it has to be called. For loops over every character. */
export const knownResults = (reading: Reading): Int32Array => results[reading];

/** The letters that a negative result of `readCodePoint` stands for. */
export const lettersOf = (result: number): readonly number[] => spelled[-result - 1] ?? [];

/** Whether the visual reading of a text differs from the literal one, or finds more: only the visual one reads vv as w. */
export function isDisguised(text: string): boolean {
  if (!/[^\n -~]|[\d@^$!|+]/.test(text)) return /v[^a-z]*v/i.test(text);
  let before = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? 0;
    if (code > 0xffff) at += 1;
    if (code >= resultsLength) continue;
    if (differences[code] === 0) differences[code] = differs(code) ? 2 : 1;
    if (differences[code] === 2) return true;
    const letter = readCodePoint(code, 'literal');
    if (letter === v && before === v) return true;
    if (letter !== ignored && letter !== wordBreak) before = letter;
  }
  return false;
}

const v = 118;

function differs(code: number): boolean {
  const literal = readCodePoint(code, 'literal');
  const visual = readCodePoint(code, 'visual');
  if (literal >= 0 || visual >= 0) return literal !== visual;
  return lettersOf(literal).join() !== lettersOf(visual).join();
}

function encode(char: string, reading: Reading): number {
  if (isIgnored(char)) return ignored;
  const sign = reading === 'visual' ? letterForSign(char) : undefined;
  if (sign) return signOffset + (visualLetters(sign).codePointAt(0) ?? 0);
  const text = reading === 'visual' ? visualLetters(latinLookAlike(char)) : literalLetters(baseLetters(char));
  const codes = Array.from(text, (letter) => Math.min(letter.codePointAt(0) ?? 0, otherLetter)).slice(
    0,
    spelledMax,
  );
  const [first] = codes;
  if (first === undefined) return tables.ignoredLetters.includes(char) ? ignored : wordBreak;
  if (codes.length === 1) return first;
  spelled.push(codes);
  return -spelled.length;
}

/** All marks but the vowel signs of Devanagari, without which different words become the same. */
function isIgnored(char: string): boolean {
  if (/[\u093e-\u094c]/.test(char)) return false;
  return /[\p{Default_Ignorable_Code_Point}\p{M}]|(?!\s)\p{Cc}/u.test(char);
}

/** Lower case, decomposed, without marks: `É`, `ⓔ`, `𝐞` and `ｅ` are all `e`. Digits stay digits. */
function baseLetters(char: string): string {
  const enclosed = enclosedLetter(char.codePointAt(0) ?? 0);
  if (enclosed) return enclosed;
  const decomposed = char.normalize('NFKD').toLowerCase().normalize('NFKD');
  return Array.from(decomposed, (letter) =>
    isIgnored(letter) ? '' : (tables.spelledOut[letter] ?? letter),
  ).join('');
}

/** White letters in black circles and squares, and regional indicators: Unicode does not decompose these. */
function enclosedLetter(code: number): string | undefined {
  for (const start of [0x1f150, 0x1f170, 0x1f1e6]) {
    if (code >= start && code < start + 26) return String.fromCharCode(97 + code - start);
  }
  return undefined;
}

function literalLetters(text: string): string {
  return Array.from(text, (letter) => (/\p{L}|\p{M}/u.test(letter) ? unified(sameInLatin(letter)) : '')).join(
    '',
  );
}

/** Scripts in which only single letters resemble Latin ones, never a whole word. */
const unlikeLatin =
  /[\p{sc=Hangul}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Deva}\p{sc=Arab}\p{sc=Hebr}]/u;

/** The Latin letter that a letter of another script looks like in both cases; otherwise the letter itself. */
function sameInLatin(letter: string): string {
  if (unlikeLatin.test(letter)) return letter;
  const listed = tables.latinLookAlikes[letter];
  if (listed) return listed;
  const small = unified(confusablesMap.get(letter)?.toLowerCase() ?? '');
  const capital = unified(confusablesMap.get(letter.toUpperCase())?.toLowerCase() ?? small);
  return small === capital && /^[a-z]$/.test(small) ? small : letter;
}

/** One letter for several that readers do not tell apart. */
function unified(letter: string): string {
  if (tables.ignoredLetters.includes(letter)) return '';
  if (/[ぁ-ゖ]/.test(letter)) return unified(String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0x60));
  const final = tables.hangulFinals.indexOf(letter);
  return tables.hangulInitials[final] ?? tables.unifiedLetters[letter] ?? letter;
}

/** The Latin letters that a character looks like; its base letters when it looks like none. */
function latinLookAlike(char: string): string {
  const base = baseLetters(char);
  if (/^[a-z0-9()., ]+$/.test(base)) return base;
  const alike =
    tables.leetLetters[char] ??
    tables.latinLookAlikes[char] ??
    lookUp(char) ??
    lookUp(base) ??
    lookUp(smallCherokee.test(char) ? char.toUpperCase() : '');
  return alike === undefined ? base : baseLetters(alike);
}

/** Small Cherokee letters have the shapes of the capitals, and the tables list only these. */
const smallCherokee = /[\uab70-\uabbf]/;
const lookUp = (char: string) => confusablesMap.get(char) ?? tables.latinLookAlikes[char];

function visualLetters(text: string): string {
  const letters = Array.from(text, (letter) => tables.leetLetters[letter] ?? letter);
  return letters
    .filter((letter) => /[\p{L}\p{M}]/u.test(letter))
    .map(unified)
    .join('');
}

/** The letter for a sign that is a letter only inside a word, from our table or the package's. */
function letterForSign(char: string): string | undefined {
  if (/[\p{L}\p{N}]/u.test(char) || /[a-z0-9]/.test(baseLetters(char))) return undefined;
  if (tables.leetLetters[char]) return undefined;
  const alike = tables.signLetters[char] ?? (/\p{S}/u.test(char) ? confusablesMap.get(char) : undefined);
  return alike !== undefined && /^[a-z]$/i.test(alike) ? alike.toLowerCase() : undefined;
}
