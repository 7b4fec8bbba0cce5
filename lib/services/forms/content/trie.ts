import { type NormalizedText, noGap } from './normalize';
import { openAtStart, type Pattern } from './pattern';

/**
 * Many patterns, found from where they begin. Most positions of a text begin no pattern, and are rejected by a look
 * into one or two small tables of their first letters. From any other position the search continues for as long as the
 * text follows some pattern, with one look-up per letter, however many patterns there are. All data is numbers in a few
 * typed arrays: as objects, the same patterns take ten times the memory and most of a second to build.
 */
export interface Trie {
  /** By `threeOf` the first three letters: flags `afterGap`, `anywhere`, `isShort`; 0 when no pattern begins with them. */
  readonly starts: Uint8Array;
  /** One bit by `fourOf` the first four letters: whether a pattern may begin with them. */
  readonly fours: Uint8Array;
  /** Letters as numbers from 1; 0 for those that no pattern has. */
  readonly classes: Uint16Array;
  /** An open-addressing hash table: `keyOf` node and class, at the same place in `nodes` the next node. */
  readonly keys: Int32Array;
  readonly nodes: Int32Array;
  /** By node, the first of the entries that end there; 0 when none does. */
  readonly ends: Int32Array;
  /** By entry, from 1: the next one that ends at the same node, or 0. */
  readonly next: Int32Array;
  /** By entry, the flags of its pattern, `repeated`, and what it means: see `meaningOf`. */
  readonly marks: Int32Array;
  /** By entry, bits for the letters before which its phrase has a space: the first 32 letters, then 32 more. */
  readonly spaces: Int32Array;
  readonly laterSpaces: Int32Array;
  /** By entry, where `repeats` begins to say how often each of its letters is repeated at least; 0 when none is. */
  readonly repeatsAt: Int32Array;
  readonly repeats: Uint8Array;
}

/** The flag of an entry that has `repeats`. */
export const repeated = 128;
const meaningShift = 8;
/** What an entry means: the number that was given to `TrieBuilder.add`. */
export const meaningOf = (mark: number): number => mark >> meaningShift;

/**
 * Whether the letters of an entry of `count` letters, which a text has from `start` on, are repeated there as often as in its phrase.
 * @param found how often each letter of the text is repeated
 */
export function isRepeatedEnough(
  { repeatsAt, repeats }: Trie,
  entry: number,
  found: Uint8Array,
  start: number,
  count: number,
): boolean {
  const least = repeatsAt[entry] ?? 0;
  for (let at = 0; at < count; at += 1)
    if ((found[start + at] ?? 0) < (repeats[least + at] ?? 0)) return false;
  return true;
}

/** Whether the phrase of an entry has a space before one of its letters. */
export function hasSpaceBefore({ spaces, laterSpaces }: Trie, entry: number, letter: number): boolean {
  const bits = letter < 32 ? spaces[entry] : laterSpaces[entry];
  return (((bits ?? 0) >> (letter & 31)) & 1) !== 0;
}

const root = 1;
const classBits = 11;
const nodesMax = 1 << 20;
const lettersMax = 64;
/** Flags for three letters: a pattern begins with them only after a gap, or anywhere; it has three letters or fewer. */
const [afterGap, anywhere, isShort] = [1, 2, 4];

/** Six bits of each letter: enough to tell most apart, and different letters may share a place. */
const threeOf = (one: number, two: number, three: number) =>
  ((one & 63) << 12) | ((two & 63) << 6) | (three & 63);
const fourOf = (three: number, fourth: number) =>
  Math.imul((three << 6) | (fourth & 63), 0x9e3779b1) >>> (32 - fourBits);
const fourBits = 18;
const keyOf = (node: number, letterClass: number) => (node << classBits) | letterClass;
/** Spreads keys over a table of a power of two (Knuth's multiplicative hash). */
const placeOf = (key: number, shift: number) => Math.imul(key, 0x9e3779b1) >>> shift;

export class TrieBuilder {
  private readonly starts = new Uint8Array(1 << 18);
  private readonly fours = new Uint8Array((1 << fourBits) / 8);
  private readonly classes = new Uint16Array(1 << 16);
  private readonly ends: number[] = [0, 0];
  private readonly next: number[] = [0];
  private readonly marks: number[] = [0];
  private readonly spaces: number[] = [0];
  private readonly laterSpaces: number[] = [0];
  private readonly repeatsAt: number[] = [0];
  private readonly repeats: number[] = [0];
  private classCount = 0;
  private keys: Int32Array;
  private nodes: Int32Array;

  /** @param bits the expected number of letters in all patterns, as a power of two */
  constructor(private bits: number) {
    this.keys = new Int32Array(1 << bits);
    this.nodes = new Int32Array(1 << bits);
  }

  /** Adds a pattern of at least two letters, unless the same one is there with this meaning. */
  add(pattern: Pattern, meaning: number): void {
    const { letters, repeats } = pattern;
    if (letters.length > lettersMax) throw new Error(`a phrase of more than ${lettersMax} letters`);
    const node = letters.reduce((from, letter) => this.childOf(from, this.classOf(letter)), root);
    const mark = (meaning << meaningShift) | pattern.flags | (repeats ? repeated : 0);
    const spaces = bitsOf(pattern.spaces, 0);
    const laterSpaces = bitsOf(pattern.spaces, 32);
    for (let entry = this.ends[node] ?? 0; entry !== 0; entry = this.next[entry] ?? 0) {
      const isSame = this.marks[entry] === mark && this.spaces[entry] === spaces && !repeats;
      if (isSame && this.laterSpaces[entry] === laterSpaces) return;
    }
    const entry = this.marks.push(mark) - 1;
    this.spaces.push(spaces);
    this.laterSpaces.push(laterSpaces);
    this.next.push(this.ends[node] ?? 0);
    this.ends[node] = entry;
    this.repeatsAt.push(repeats ? this.repeats.length : 0);
    for (const least of repeats ?? []) this.repeats.push(least);
    this.markStart(pattern);
  }

  build(): Trie {
    const { starts, fours, classes, keys, nodes } = this;
    return {
      ...{ starts, fours, classes, keys, nodes },
      ends: Int32Array.from(this.ends),
      next: Int32Array.from(this.next),
      marks: Int32Array.from(this.marks),
      spaces: Int32Array.from(this.spaces),
      laterSpaces: Int32Array.from(this.laterSpaces),
      repeatsAt: Int32Array.from(this.repeatsAt),
      repeats: Uint8Array.from(this.repeats),
    };
  }

  private classOf(letter: number): number {
    const known = this.classes[letter];
    if (known) return known;
    this.classCount += 1;
    if (this.classCount >= 1 << classBits) throw new Error('too many different letters for a trie');
    this.classes[letter] = this.classCount;
    return this.classCount;
  }

  private childOf(node: number, letterClass: number): number {
    const key = keyOf(node, letterClass);
    const found = this.nodes[this.placeFor(key)];
    if (found) return found;
    const child = this.ends.push(0) - 1;
    if (child >= nodesMax) throw new Error('too many phrases for a trie');
    if (child * 4 > this.keys.length * 3) this.grow();
    const place = this.placeFor(key);
    this.keys[place] = key;
    this.nodes[place] = child;
    return child;
  }

  /** Where a key is, or where it belongs. */
  private placeFor(key: number): number {
    const last = this.keys.length - 1;
    let place = placeOf(key, 32 - this.bits);
    while (this.keys[place] !== 0 && this.keys[place] !== key) place = (place + 1) & last;
    return place;
  }

  private grow(): void {
    const { keys, nodes } = this;
    this.bits += 1;
    this.keys = new Int32Array(1 << this.bits);
    this.nodes = new Int32Array(1 << this.bits);
    keys.forEach((key, at) => {
      if (key === 0) return;
      const place = this.placeFor(key);
      this.keys[place] = key;
      this.nodes[place] = nodes[at] ?? 0;
    });
  }

  private markStart({ letters, flags }: Pattern): void {
    const [one = 0, two = 0, third, fourth] = letters;
    const mark = ((flags & openAtStart) !== 0 ? anywhere : afterGap) | (fourth === undefined ? isShort : 0);
    for (const any of third === undefined ? everyThird : [third]) {
      const three = threeOf(one, two, any);
      this.starts[three] = (this.starts[three] ?? 0) | mark;
    }
    if (third === undefined || fourth === undefined) return;
    const bit = fourOf(threeOf(one, two, third), fourth);
    this.fours[bit >> 3] = (this.fours[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
}

const everyThird = Array.from({ length: 64 }, (_, any) => any);

/** Of 32 letters from `from` on, a bit for each that is set. */
function bitsOf(isSet: readonly boolean[], from: number): number {
  let bits = 0;
  for (let at = from; at < Math.min(isSet.length, from + 32); at += 1)
    if (isSet[at]) bits |= 1 << (at - from);
  return bits;
}

/** Is called with an entry whose letters are in the text from `start` up to `end`. */
type OnFound = (entry: number, start: number, end: number) => void;

/** Calls `onFound` for every entry whose letters are in the text between `from` and `to`, in the order of their starts. */
export function findAll(trie: Trie, text: NormalizedText, from: number, to: number, onFound: OnFound): void {
  for (let at = nextStart(trie, text, from, to); at < to; at = nextStart(trie, text, at + 1, to)) {
    findFrom(trie, text, at, to, onFound);
  }
}

/** The first letter from `from` on where an entry may begin; `to` when there is none. */
export function nextStart(
  { starts, fours }: Trie,
  { letters, gaps }: NormalizedText,
  from: number,
  to: number,
): number {
  let three = threeOf(0, letters[from] ?? 0, letters[from + 1] ?? 0);
  for (let start = from; start + 1 < to; start += 1) {
    three = ((three << 6) & 0x3ffff) | ((letters[start + 2] ?? 0) & 63);
    const begins = starts[three] ?? 0;
    if (begins === 0 || ((begins & anywhere) === 0 && gaps[start] === noGap)) continue;
    if ((begins & isShort) !== 0) return start;
    const four = fourOf(three, letters[start + 3] ?? 0);
    if ((((fours[four >> 3] ?? 0) >> (four & 7)) & 1) !== 0) return start;
  }
  return to;
}

/** Calls `onFound` for the entries that begin at one letter, regardless of what comes before it. */
export function findFrom(
  trie: Trie,
  { letters }: NormalizedText,
  start: number,
  to: number,
  onFound: OnFound,
): void {
  const { classes, keys, nodes, ends, next } = trie;
  const lastPlace = keys.length - 1;
  const shift = Math.clz32(lastPlace);
  let node = root;
  for (let at = start; at < to; at += 1) {
    const key = keyOf(node, classes[letters[at] ?? 0] ?? 0);
    let place = placeOf(key, shift);
    while (keys[place] !== key) {
      if (keys[place] === 0) return;
      place = (place + 1) & lastPlace;
    }
    node = nodes[place] ?? 0;
    for (let entry = ends[node] ?? 0; entry !== 0; entry = next[entry] ?? 0) onFound(entry, start, at + 1);
  }
}
