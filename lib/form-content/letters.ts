import { confusablesMap } from 'confusables';
import * as glyphs from './glyphs';

/**
 * How single characters are read. Texts and word lists go through the same reading, so that nothing depends on which
 * of several equal writings either of them uses.
 *
 * There are two readings. `written` takes characters for what Unicode says they are: compatibility forms and marks fall
 * away, digits and signs part words. `looks` takes them for the Latin letters and digits that they look like, and digits
 * and signs for letters. A disguise is seen through when either reading finds the word.
 */
export const readings = ['written', 'looks'] as const;
export type Reading = (typeof readings)[number];

/** Not there for a reader: joiners, direction marks, variation selectors, combining marks. */
export const ignored = 1;
/** Parts words. */
export const wordBreak = 2;
/** Added to a letter that counts only when another letter follows in the same word. */
export const signOffset = 0x200000;

/** A letter of which no word list speaks. */
const unnamed = 0xffff;
/** Beyond the planes of letters and emoji there is nothing to fold, and a table of the rest would be 8 MB. */
const tableSize = 0x20000;
/** Tags and further variation selectors, all that is invisible up there. */
const [tagsFrom, tagsEnd] = [0xe0000, 0xe1000];
/** U+FDFA alone is 18 letters long; a text of them must not grow. */
const spelledMax = 4;

const tables: Readonly<Record<Reading, Int32Array>> = {
  written: new Int32Array(tableSize),
  looks: new Int32Array(tableSize),
};
const spelled: number[][] = [];
/** By code point, whether the two readings differ: 0 unknown, 1 no, 2 yes. */
const differences = new Uint8Array(tableSize);

/**
 * What a code point is read as: `ignored`, `wordBreak`, a letter (its code point, or with `signOffset` added), or, when
 * negative, the letters at `lettersOf(result)`.
 */
export function readCodePoint(code: number, reading: Reading): number {
  if (code >= tableSize) return code >= tagsFrom && code < tagsEnd ? ignored : unnamed;
  const table = tables[reading];
  if (table[code] === 0) table[code] = encode(String.fromCodePoint(code), reading);
  return table[code] ?? wordBreak;
}

/** What `readCodePoint` has answered so far, by code point; 0, where it was not asked. */
export const answersOf = (reading: Reading): Int32Array => tables[reading];

/** The letters that a negative answer of `readCodePoint` stands for. */
export const lettersOf = (folded: number): readonly number[] => spelled[-folded - 1] ?? [];

/** Whether `looks` reads a text otherwise than `written`, or finds more in it: it alone takes vv for w. */
export function isDisguised(text: string): boolean {
  if (!/[^\n -~]|[\d@^$!|+]/.test(text)) return /v[^a-z]*v/i.test(text);
  let before = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? 0;
    if (code > 0xffff) at += 1;
    if (code >= tableSize) continue;
    if (differences[code] === 0) differences[code] = differs(code) ? 2 : 1;
    if (differences[code] === 2) return true;
    const letter = readCodePoint(code, 'written');
    if (letter === v && before === v) return true;
    if (letter !== ignored && letter !== wordBreak) before = letter;
  }
  return false;
}

const v = 118;

function differs(code: number): boolean {
  const [written, looks] = readings.map((reading) => readCodePoint(code, reading)) as [number, number];
  if (written >= 0 || looks >= 0) return written !== looks;
  return lettersOf(written).join() !== lettersOf(looks).join();
}

function encode(char: string, reading: Reading): number {
  if (isIgnored(char)) return ignored;
  const sign = reading === 'looks' ? signOf(char) : undefined;
  if (sign) return signOffset + (asLookedAt(sign).codePointAt(0) ?? 0);
  const text = reading === 'looks' ? asLookedAt(look(char)) : asWritten(plain(char));
  const codes = Array.from(text, (letter) => Math.min(letter.codePointAt(0) ?? 0, unnamed)).slice(
    0,
    spelledMax,
  );
  const [first] = codes;
  if (first === undefined) return glyphs.silent.includes(char) ? ignored : wordBreak;
  if (codes.length === 1) return first;
  spelled.push(codes);
  return -spelled.length;
}

/** Marks go, save the vowel signs of Devanagari, without which its words fall together. */
function isIgnored(char: string): boolean {
  if (/[\u093e-\u094c]/.test(char)) return false;
  return /[\p{Default_Ignorable_Code_Point}\p{M}]|(?!\s)\p{Cc}/u.test(char);
}

/** Lower case, decomposed, without marks: `É`, `ⓔ`, `𝐞` and `ｅ` are all `e`. Digits stay digits. */
function plain(char: string): string {
  const enclosed = enclosedLetter(char.codePointAt(0) ?? 0);
  if (enclosed) return enclosed;
  const apart = char.normalize('NFKD').toLowerCase().normalize('NFKD');
  return Array.from(apart, (letter) => (isIgnored(letter) ? '' : (glyphs.spelledOut[letter] ?? letter))).join(
    '',
  );
}

function asWritten(text: string): string {
  return Array.from(text, (letter) =>
    /\p{L}|\p{M}/u.test(letter) ? sameLetter(homoglyph(letter)) : '',
  ).join('');
}

/** Scripts whose letters look like Latin ones at best singly. */
const ownWords =
  /[\p{sc=Hangul}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Deva}\p{sc=Arab}\p{sc=Hebr}]/u;

/** A Latin letter for one of another script, where small and capital letter look like the same one. */
function homoglyph(letter: string): string {
  if (ownWords.test(letter)) return letter;
  const own = glyphs.lookLetters[letter];
  if (own) return own;
  const small = sameLetter(confusablesMap.get(letter)?.toLowerCase() ?? '');
  const capital = sameLetter(confusablesMap.get(letter.toUpperCase())?.toLowerCase() ?? small);
  return small === capital && /^[a-z]$/.test(small) ? small : letter;
}

function sameLetter(letter: string): string {
  if (glyphs.silent.includes(letter)) return '';
  if (/[ぁ-ゖ]/.test(letter)) return sameLetter(String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0x60));
  const final = glyphs.hangulFinals.indexOf(letter);
  return glyphs.hangulInitials[final] ?? glyphs.sameLetters[letter] ?? letter;
}

/** What a character looks like to someone who reads Latin letters; itself, if like nothing of the kind. */
function look(char: string): string {
  const apart = plain(char);
  if (/^[a-z0-9()., ]+$/.test(apart)) return apart;
  const enclosed = enclosedLetter(char.codePointAt(0) ?? 0);
  const alike =
    glyphs.digitLetters[char] ??
    glyphs.lookLetters[char] ??
    enclosed ??
    lookOf(char) ??
    lookOf(apart) ??
    lookOf(smallCherokee.test(char) ? char.toUpperCase() : '');
  return alike === undefined ? apart : plain(alike);
}

/** Its small letters are its capitals written smaller, which are all that the tables have. */
const smallCherokee = /[\uab70-\uabbf]/;
const lookOf = (char: string) => confusablesMap.get(char) ?? glyphs.lookLetters[char];

/** Letters in black discs and boxes and those of flags, which Unicode gives no decomposition. */
function enclosedLetter(code: number): string | undefined {
  for (const start of [0x1f150, 0x1f170, 0x1f1e6]) {
    if (code >= start && code < start + 26) return String.fromCharCode(97 + code - start);
  }
  return undefined;
}

function asLookedAt(text: string): string {
  const letters = Array.from(text, (letter) => glyphs.digitLetters[letter] ?? letter);
  return letters
    .filter((letter) => /[\p{L}\p{M}]/u.test(letter))
    .map(sameLetter)
    .join('');
}

/** A letter for a sign, be it of our table or one that looks like a letter to the package. */
function signOf(char: string): string | undefined {
  if (/[\p{L}\p{N}]/u.test(char) || /[a-z0-9]/.test(plain(char))) return undefined;
  if (glyphs.digitLetters[char]) return undefined;
  const alike = glyphs.signLetters[char] ?? (/\p{S}/u.test(char) ? confusablesMap.get(char) : undefined);
  return alike !== undefined && /^[a-z]$/i.test(alike) ? alike.toLowerCase() : undefined;
}
