import { answersOf, ignored, lettersOf, type Reading, readCodePoint, signOffset, wordBreak } from './letters';

/** What stands before a letter. */
export const nothing = 0;
const space = 1;
export const fieldEnd = 2;

/**
 * Texts as their letters alone, with a note where words and fields begin. Letters that are repeated within a word are
 * there once, with their number: `passsword` is `pas³word`, and has all the letters of `pas²word`. `rn` passes for `m`,
 * so it is read as one.
 */
export interface Line {
  readonly letters: Uint16Array;
  /** `gaps[i]` is what stands before letter i; `gaps[length]` closes the line. */
  readonly gaps: Uint8Array;
  /** How often each letter is repeated, from 0. */
  readonly repeats: Uint8Array;
  readonly length: number;
  /** The number of letters before each field. */
  readonly starts: readonly number[];
}

export const [m, n, r] = [109, 110, 114];
/** Signs in a row that are kept until it is known whether a letter follows; nobody writes more within a word. */
const spareSigns = 4;
const repeatsMax = 100;

/** Reads fields one after the other into one line. Takes time in proportion to their length. */
export function readLine(fields: readonly string[], reading: Reading): Line {
  const units = unitsOf(fields.join(''));
  const line = new LineInMaking(units.length);
  let from = 0;
  const starts = fields.map((field) => {
    const start = line.length;
    readField(units.subarray(from, from + field.length), reading, line);
    from += field.length;
    return start;
  });
  return line.close(starts);
}

/** UTF-16 code units in an array: reading a string one by one takes several times longer, as it may be part of another. */
function unitsOf(text: string): Uint16Array {
  const bytes = Buffer.allocUnsafeSlow(text.length * 2);
  bytes.write(text, 'utf16le');
  return new Uint16Array(bytes.buffer);
}

/**
 * The usual case, one letter for one character, is written out: this runs once per character and reading, and is half of
 * what a check takes.
 */
function readField(units: Uint16Array, reading: Reading, line: LineInMaking): void {
  const answers = answersOf(reading);
  const end = units.length;
  line.reserve(end);
  let { letters, gaps, length, last } = line;
  let gap = fieldEnd;
  let signs: number[] | undefined;
  for (let at = 0; at < end; at += 1) {
    let code = units[at] ?? 0;
    if ((code & 0xfc00) === 0xd800 && ((units[at + 1] ?? 0) & 0xfc00) === 0xdc00) {
      at += 1;
      code = 0x10000 + ((code & 0x3ff) << 10) + ((units[at] ?? 0) & 0x3ff);
    }
    const read = answers[code] || readCodePoint(code, reading);
    const isLetter = read > wordBreak && read < signOffset;
    const isContracted = gap === nothing && (read === last || (read === n && last === r));
    if (isLetter && !isContracted && signs === undefined) {
      letters[length] = read;
      gaps[length] = gap;
      length += 1;
      last = read;
      gap = nothing;
    } else if (read === wordBreak) {
      if (gap === nothing) gap = space;
      signs = undefined;
    } else if (read >= signOffset) {
      signs ??= [];
      if (signs.length < spareSigns) signs.push(read - signOffset);
    } else if (read !== ignored) {
      line.resume(length, gap, last);
      if (signs) for (const sign of signs) line.add(sign);
      signs = undefined;
      if (isLetter) line.add(read);
      else for (const letter of lettersOf(read)) line.add(letter);
      line.reserve(end - at);
      ({ letters, gaps, length, last, gap } = line);
    }
  }
  line.resume(length, fieldEnd, last);
}

class LineInMaking {
  length = 0;
  /** What stands before the letter to come. */
  gap = fieldEnd;
  last = 0;
  letters: Uint16Array;
  gaps: Uint8Array;
  private repeats: Uint8Array;

  constructor(size: number) {
    this.letters = new Uint16Array(size + 2);
    this.gaps = new Uint8Array(size + 2);
    this.repeats = new Uint8Array(size + 2);
  }

  /** Takes over what was written without it. */
  resume(length: number, gap: number, last: number): void {
    this.length = length;
    this.gap = gap;
    this.last = last;
  }

  add(letter: number): void {
    if (this.gap === nothing && (letter === this.last || (letter === n && this.last === r))) {
      this.contract(letter);
      return;
    }
    this.reserve(1);
    this.letters[this.length] = letter;
    this.gaps[this.length] = this.gap;
    this.length += 1;
    this.last = letter;
    this.gap = nothing;
  }

  /** Makes room: ligatures and letters that are read as two make a line longer than its text. */
  reserve(more: number): void {
    if (this.length + more + 2 <= this.letters.length) return;
    const grown = <List extends Uint8Array | Uint16Array>(list: List, empty: List) => {
      empty.set(list);
      return empty;
    };
    const size = this.letters.length * 2 + more;
    this.letters = grown(this.letters, new Uint16Array(size));
    this.gaps = grown(this.gaps, new Uint8Array(size));
    this.repeats = grown(this.repeats, new Uint8Array(size));
  }

  close(starts: readonly number[]): Line {
    const { letters, gaps, repeats, length } = this;
    gaps[length] = fieldEnd;
    return { letters, gaps, repeats, length, starts };
  }

  /** Of the letter to come and the one before it, or the m before that, makes one. */
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
      if (isRepeated || this.letters[at - 1] !== m || this.gaps[at] !== nothing) return;
      this.length = at;
      at -= 1;
    }
    this.repeats[at] = Math.min((this.repeats[at] ?? 0) + 1, repeatsMax);
  }
}
