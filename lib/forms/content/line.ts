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
  const line = new LineInMaking(fields.reduce((sum, field) => sum + field.length, 0));
  const starts = fields.map((field) => {
    const start = line.length;
    readField(field, reading, line);
    return start;
  });
  return line.close(starts);
}

function readField(field: string, reading: Reading, line: LineInMaking): void {
  const answers = answersOf(reading);
  let signs: number[] | undefined;
  for (let at = 0; at < field.length; at += 1) {
    let code = field.charCodeAt(at);
    if ((code & 0xfc00) === 0xd800) {
      code = field.codePointAt(at) ?? code;
      if (code > 0xffff) at += 1;
    }
    const read = answers[code] || readCodePoint(code, reading);
    if (read === wordBreak) {
      if (line.gap === nothing) line.gap = space;
      signs = undefined;
    } else if (read > wordBreak && read < signOffset) {
      if (signs) for (const sign of signs) line.add(sign);
      signs = undefined;
      line.add(read);
    } else if (read >= signOffset) {
      signs ??= [];
      if (signs.length < spareSigns) signs.push(read - signOffset);
    } else if (read !== ignored) {
      if (signs) for (const sign of signs) line.add(sign);
      signs = undefined;
      for (const letter of lettersOf(read)) line.add(letter);
    }
  }
  line.gap = fieldEnd;
}

class LineInMaking {
  length = 0;
  /** What stands before the letter to come. */
  gap = fieldEnd;
  private letters: Uint16Array;
  private gaps: Uint8Array;
  private repeats: Uint8Array;
  private last = 0;

  constructor(size: number) {
    this.letters = new Uint16Array(size + 2);
    this.gaps = new Uint8Array(size + 2);
    this.repeats = new Uint8Array(size + 2);
  }

  add(letter: number): void {
    if (this.gap === nothing && (letter === this.last || (letter === n && this.last === r))) {
      this.contract(letter);
      return;
    }
    if (this.length + 2 >= this.letters.length) this.grow();
    this.letters[this.length] = letter;
    this.gaps[this.length] = this.gap;
    this.length += 1;
    this.last = letter;
    this.gap = nothing;
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

  /** Ligatures and letters that are read as two make a line longer than its text. */
  private grow(): void {
    const grown = <List extends Uint8Array | Uint16Array>(list: List, empty: List) => {
      empty.set(list);
      return empty;
    };
    const size = this.letters.length * 2;
    this.letters = grown(this.letters, new Uint16Array(size));
    this.gaps = grown(this.gaps, new Uint8Array(size));
    this.repeats = grown(this.repeats, new Uint8Array(size));
  }
}
