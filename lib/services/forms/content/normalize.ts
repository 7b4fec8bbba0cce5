import {
  ignored,
  knownResults,
  lettersOf,
  type Reading,
  readCodePoint,
  signOffset,
  wordBreak,
} from './characters';

/** What may come before a letter: another letter of its word, the end of a word, the end of a field. */
export const noGap = 0;
const wordGap = 1;
export const fieldGap = 2;

/**
 * Texts reduced to letters, with the places where words and fields begin. A letter repeated within a word is stored
 * once, with its number of repeats, so that `passsword` matches `password`. `rn` looks like `m` and is read as one.
 */
export interface NormalizedText {
  readonly letters: Uint16Array;
  /** `gaps[i]` is what comes before letter i; `gaps[length]` is the end of the last field. */
  readonly gaps: Uint8Array;
  /** How often each letter is repeated, from 0. */
  readonly repeats: Uint8Array;
  readonly length: number;
  /** Where each field starts in `letters`. */
  readonly starts: readonly number[];
}

export const [m, n, r] = [109, 110, 114];
/** Signs are letters only if a letter follows. At most this many in a row are remembered; real words have fewer. */
const pendingSignsMax = 4;
const repeatsMax = 100;

/** Normalizes fields into one text. Takes time proportional to their length. */
export function normalize(fields: readonly string[], reading: Reading): NormalizedText {
  const units = unitsOf(fields.join(''));
  const builder = new TextBuilder(units.length);
  let from = 0;
  const starts = fields.map((field) => {
    const start = builder.length;
    addField(units.subarray(from, from + field.length), reading, builder);
    from += field.length;
    return start;
  });
  return builder.build(starts);
}

/** UTF-16 code units as an array: `charCodeAt` on a joined string takes several times longer. */
function unitsOf(text: string): Uint16Array {
  const bytes = Buffer.allocUnsafeSlow(text.length * 2);
  bytes.write(text, 'utf16le');
  return new Uint16Array(bytes.buffer);
}

/**
 * The loop handles the usual case itself, one letter for one character, and leaves the rest to the builder: it runs once
 * per character and reading, and takes half of a check's time.
 */
function addField(units: Uint16Array, reading: Reading, builder: TextBuilder): void {
  const results = knownResults(reading);
  const end = units.length;
  builder.reserve(end);
  let { letters, gaps, length, last } = builder;
  let gap = fieldGap;
  let signs: number[] | undefined;
  for (let at = 0; at < end; at += 1) {
    let code = units[at] ?? 0;
    const isPair = (code & 0xfc00) === 0xd800 && ((units[at + 1] ?? 0) & 0xfc00) === 0xdc00;
    if (isPair) {
      at += 1;
      code = 0x10000 + ((code & 0x3ff) << 10) + ((units[at] ?? 0) & 0x3ff);
    }
    const read = results[code] || readCodePoint(code, reading);
    const isLetter = read > wordBreak && read < signOffset;
    const isContracted = gap === noGap && (read === last || (read === n && last === r));
    if (isLetter && !isContracted && signs === undefined) {
      letters[length] = read;
      gaps[length] = gap;
      length += 1;
      last = read;
      gap = noGap;
    } else if (read === wordBreak) {
      if (gap === noGap) gap = wordGap;
      signs = undefined;
    } else if (read >= signOffset) {
      signs ??= [];
      if (signs.length < pendingSignsMax) signs.push(read - signOffset);
    } else if (read !== ignored) {
      builder.resume(length, gap, last);
      if (signs) for (const sign of signs) builder.add(sign);
      signs = undefined;
      if (isLetter) builder.add(read);
      else for (const letter of lettersOf(read)) builder.add(letter);
      builder.reserve(end - at);
      ({ letters, gaps, length, last, gap } = builder);
    }
  }
  builder.resume(length, fieldGap, last);
}

class TextBuilder {
  length = 0;
  /** What comes before the next letter. */
  gap = fieldGap;
  last = 0;
  letters: Uint16Array;
  gaps: Uint8Array;
  private repeats: Uint8Array;

  constructor(size: number) {
    this.letters = new Uint16Array(size + 2);
    this.gaps = new Uint8Array(size + 2);
    this.repeats = new Uint8Array(size + 2);
  }

  /** Continues after letters that were written directly into the arrays. */
  resume(length: number, gap: number, last: number): void {
    this.length = length;
    this.gap = gap;
    this.last = last;
  }

  add(letter: number): void {
    if (this.gap === noGap && (letter === this.last || (letter === n && this.last === r))) {
      this.contract(letter);
      return;
    }
    this.reserve(1);
    this.letters[this.length] = letter;
    this.gaps[this.length] = this.gap;
    this.length += 1;
    this.last = letter;
    this.gap = noGap;
  }

  /** Makes room for more letters: ligatures make a text longer than its characters. */
  reserve(more: number): void {
    if (this.length + more + 2 <= this.letters.length) return;
    const size = this.letters.length * 2 + more;
    this.letters = copied(this.letters, new Uint16Array(size));
    this.gaps = copied(this.gaps, new Uint8Array(size));
    this.repeats = copied(this.repeats, new Uint8Array(size));
  }

  build(starts: readonly number[]): NormalizedText {
    const { letters, gaps, repeats, length } = this;
    gaps[length] = fieldGap;
    return { letters, gaps, repeats, length, starts };
  }

  /** Counts a repeated letter, or turns the last letter, an r, into m, which may repeat the m before it. */
  private contract(letter: number): void {
    let at = this.length - 1;
    if (letter !== this.last) {
      this.last = letter;
      const isRepeated = (this.repeats[at] ?? 0) > 0;
      if (isRepeated) {
        this.repeats[at] = (this.repeats[at] ?? 0) - 1;
        this.length += 1;
        at += 1;
      }
      this.letters[at] = m;
      if (isRepeated || this.letters[at - 1] !== m || this.gaps[at] !== noGap) return;
      this.length = at;
      at -= 1;
    }
    this.repeats[at] = Math.min((this.repeats[at] ?? 0) + 1, repeatsMax);
  }
}

function copied<List extends Uint8Array | Uint16Array>(from: List, to: List): List {
  to.set(from);
  return to;
}
