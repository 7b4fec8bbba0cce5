import { type Line, nothing } from './line';
import { openAtStart, type Pattern } from './pattern';

/**
 * Many phrases, found from where they begin. Four letters that begin no phrase, which is nearly everything in a text,
 * cost a look at one or two small tables; from any other the search goes on for as long as the text follows some phrase, with one
 * look at a table for each letter, however many phrases there are. Everything is numbers in a few typed arrays: as objects,
 * the same phrases take ten times the memory and most of a second to make.
 */
export interface Trie {
  /** Whether a phrase may begin so, by `slotOf` three letters: `afterGap`, `anywhere`, and `isShort` for three at most. */
  readonly starts: Uint8Array;
  /** Whether one may begin with four letters, as bits by `fourOf` them. */
  readonly fours: Uint8Array;
  /** Letters as numbers from 1; 0 for those of which no phrase speaks. */
  readonly classes: Uint16Array;
  /** An open-addressed table from `keyOf` node and class to the next node. */
  readonly keys: Int32Array;
  readonly nodes: Int32Array;
  /** By node, the first of the entries that end there; 0, if none does. */
  readonly ends: Int32Array;
  /** By entry, from 1: the next one that ends at the same node, or 0. */
  readonly next: Int32Array;
  /** By entry, what it means and its flags: see `meaningOf`. */
  readonly marks: Int32Array;
  /** By entry, the letters before which it has a space itself: the first 32, then 32 more. */
  readonly parts: Int32Array;
  readonly laterParts: Int32Array;
  /** Of the few entries that have repeated letters, how often each of them is repeated at least. */
  readonly repeats: ReadonlyMap<number, readonly number[]>;
}

/** Beside the flags of its pattern. */
export const repeated = 128;
const meaningShift = 8;
/** The number of what an entry means, as it was given to `TrieBuilder.add`. */
export const meaningOf = (mark: number): number => mark >> meaningShift;

const root = 1;
const classBits = 11;
const nodesMax = 1 << 20;
const lettersMax = 64;
const [afterGap, anywhere, isShort] = [1, 2, 4];

const slotOf = (one: number, two: number, three: number) =>
  ((one & 63) << 12) | ((two & 63) << 6) | (three & 63);
/** The bits of a letter, and those of three before it, spread over `fourBits`. */
const fourOf = (slot: number, fourth: number) =>
  Math.imul((slot << 6) | (fourth & 63), 0x9e3779b1) >>> (32 - fourBits);
const fourBits = 18;
const keyOf = (node: number, letterClass: number) => (node << classBits) | letterClass;
/** Spreads keys over a table of a power of two (Knuth's multiplicative hash). */
const placeOf = (key: number, shift: number) => Math.imul(key, 0x9e3779b1) >>> shift;

/** Collects phrases, and gives the trie of them. */
export class TrieBuilder {
  private readonly starts = new Uint8Array(1 << 18);
  private readonly fours = new Uint8Array((1 << fourBits) / 8);
  private readonly classes = new Uint16Array(1 << 16);
  private readonly ends: number[] = [0, 0];
  private readonly next: number[] = [0];
  private readonly marks: number[] = [0];
  private readonly parts: number[] = [0];
  private readonly laterParts: number[] = [0];
  private readonly repeats = new Map<number, readonly number[]>();
  private classCount = 0;
  private keys: Int32Array;
  private nodes: Int32Array;

  /** @param bits the size of the table to begin with, as a power of two */
  constructor(private bits: number) {
    this.keys = new Int32Array(1 << bits);
    this.nodes = new Int32Array(1 << bits);
  }

  /** Adds a pattern of two letters or more; a second one that differs in nothing is left out. */
  add(pattern: Pattern, meaning: number): void {
    const { letters, repeats } = pattern;
    if (letters.length > lettersMax) throw new Error(`a phrase of more than ${lettersMax} letters`);
    const node = letters.reduce((from, letter) => this.childOf(from, this.classOf(letter)), root);
    const mark = (meaning << meaningShift) | pattern.flags | (repeats ? repeated : 0);
    const parts = bitsOf(pattern.parts, 0);
    const laterParts = bitsOf(pattern.parts, 32);
    for (let entry = this.ends[node] ?? 0; entry !== 0; entry = this.next[entry] ?? 0) {
      const isSame = this.marks[entry] === mark && this.parts[entry] === parts && !repeats;
      if (isSame && this.laterParts[entry] === laterParts) return;
    }
    const entry = this.marks.push(mark) - 1;
    this.parts.push(parts);
    this.laterParts.push(laterParts);
    this.next.push(this.ends[node] ?? 0);
    this.ends[node] = entry;
    if (repeats) this.repeats.set(entry, repeats);
    this.markStart(pattern);
  }

  build(): Trie {
    return {
      starts: this.starts,
      fours: this.fours,
      classes: this.classes,
      keys: this.keys,
      nodes: this.nodes,
      ends: Int32Array.from(this.ends),
      next: Int32Array.from(this.next),
      marks: Int32Array.from(this.marks),
      parts: Int32Array.from(this.parts),
      laterParts: Int32Array.from(this.laterParts),
      repeats: this.repeats,
    };
  }

  private classOf(letter: number): number {
    const known = this.classes[letter];
    if (known) return known;
    this.classCount += 1;
    if (this.classCount >= 1 << classBits) throw new Error('more letters than a trie has numbers for');
    this.classes[letter] = this.classCount;
    return this.classCount;
  }

  private childOf(node: number, letterClass: number): number {
    const key = keyOf(node, letterClass);
    const found = this.nodes[this.placeFor(key)];
    if (found) return found;
    const child = this.ends.push(0) - 1;
    if (child >= nodesMax) throw new Error('more phrases than a trie has numbers for');
    if (child * 4 > this.keys.length * 3) this.grow();
    const place = this.placeFor(key);
    this.keys[place] = key;
    this.nodes[place] = child;
    return child;
  }

  /** Where a key is, or would be. */
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
    const thirds = third === undefined ? everyThird : [third];
    for (const any of thirds) {
      const slot = slotOf(one, two, any);
      this.starts[slot] = (this.starts[slot] ?? 0) | mark;
    }
    if (third === undefined || fourth === undefined) return;
    const bit = fourOf(slotOf(one, two, third), fourth);
    this.fours[bit >> 3] = (this.fours[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
}

const everyThird = Array.from({ length: 64 }, (_, any) => any);

function bitsOf(parts: readonly boolean[], from: number): number {
  let bits = 0;
  for (let at = from; at < Math.min(parts.length, from + 32); at += 1)
    if (parts[at]) bits |= 1 << (at - from);
  return bits;
}

/** Takes an entry of the trie that a line contains, with its place and the letters of the line before which there is a gap. */
type OnFound = (entry: number, start: number, end: number, splits: number, laterSplits: number) => void;

/** Calls `onFound` for every entry whose letters are in the line from `from` up to `to`, by where they begin. */
export function findAll(trie: Trie, line: Line, from: number, to: number, onFound: OnFound): void {
  for (let at = nextStart(trie, line, from, to); at < to; at = nextStart(trie, line, at + 1, to)) {
    findFrom(trie, line, at, to, onFound);
  }
}

/** The first letter from `from` on where an entry may begin; `to`, if there is none. */
export function nextStart(
  { starts, fours }: Trie,
  { letters, gaps }: Line,
  from: number,
  to: number,
): number {
  let slot = slotOf(0, letters[from] ?? 0, letters[from + 1] ?? 0);
  for (let start = from; start + 1 < to; start += 1) {
    slot = ((slot << 6) & 0x3ffff) | ((letters[start + 2] ?? 0) & 63);
    const begins = starts[slot] ?? 0;
    if (begins === 0 || ((begins & anywhere) === 0 && gaps[start] === nothing)) continue;
    if ((begins & isShort) !== 0) return start;
    const four = fourOf(slot, letters[start + 3] ?? 0);
    if ((((fours[four >> 3] ?? 0) >> (four & 7)) & 1) !== 0) return start;
  }
  return to;
}

/** The same for the entries that begin at one letter, whatever stands before it. */
export function findFrom(trie: Trie, line: Line, start: number, to: number, onFound: OnFound): void {
  const { classes, keys, nodes, ends, next } = trie;
  const { letters, gaps } = line;
  const lastPlace = keys.length - 1;
  const shift = Math.clz32(lastPlace);
  let node = root;
  let splits = 0;
  let laterSplits = 0;
  for (let at = start; at < to; at += 1) {
    const key = keyOf(node, classes[letters[at] ?? 0] ?? 0);
    let place = placeOf(key, shift);
    while (keys[place] !== key) {
      if (keys[place] === 0) return;
      place = (place + 1) & lastPlace;
    }
    node = nodes[place] ?? 0;
    if (at > start && gaps[at] !== nothing) {
      const offset = at - start;
      if (offset < 32) splits |= 1 << offset;
      else laterSplits |= 1 << (offset - 32);
    }
    for (let entry = ends[node] ?? 0; entry !== 0; entry = next[entry] ?? 0) {
      onFound(entry, start, at + 1, splits, laterSplits);
    }
  }
}
