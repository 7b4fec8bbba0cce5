import { type Line, nothing } from './line';

/** What the trie needs to know of an entry, which has two letters or more. */
interface Spelled {
  readonly letters: readonly number[];
  /** May be found within a word. */
  readonly isOpenAtStart: boolean;
}

/**
 * Many words, found from where they begin. Three letters that begin no word, which is nearly everything in a text, cost
 * one look at a small table; from any other the walk goes on for as long as the text follows some word. Nodes are
 * numbers, their children a chain of siblings: a few arrays instead of 100,000 objects.
 */
export interface Trie<Entry> {
  /** Whether a word may begin so, by `slotOf` three letters: 0 no, 1 after a gap, 2 anywhere. */
  readonly starts: Uint8Array;
  readonly letter: Uint16Array;
  readonly child: Int32Array;
  readonly sibling: Int32Array;
  /** By node, the place in `entries` of those that end there; 0, if none does. */
  readonly ends: Int32Array;
  readonly entries: readonly (readonly Entry[])[];
  /** First letters have a place of their own: the chain of all would be long. */
  readonly roots: Int32Array;
}

const slotOf = (first: number, second: number, third: number) =>
  ((first & 63) << 12) | ((second & 63) << 6) | (third & 63);

/** The trie of a list. Entries of the same letters share a node and are all found there. */
export function buildTrie<Entry extends Spelled>(list: readonly Entry[]): Trie<Entry> {
  const starts = new Uint8Array(1 << 18);
  const roots = new Int32Array(1 << 16);
  const [letter, child, sibling, ends]: [number[], number[], number[], number[]] = [[0], [0], [0], [0]];
  const entries: Entry[][] = [[]];
  const newNode = (of: number, next: number) => {
    child.push(0);
    sibling.push(next);
    ends.push(0);
    return letter.push(of) - 1;
  };
  const childOf = (node: number, of: number) => {
    let at = child[node] ?? 0;
    while (at !== 0 && letter[at] !== of) at = sibling[at] ?? 0;
    if (at === 0) {
      at = newNode(of, child[node] ?? 0);
      child[node] = at;
    }
    return at;
  };
  for (const entry of list) {
    const [first = 0, ...rest] = entry.letters;
    if (roots[first] === 0) roots[first] = newNode(first, 0);
    const node = rest.reduce(childOf, roots[first] ?? 0);
    if (ends[node] === 0) ends[node] = entries.push([]) - 1;
    entries[ends[node] ?? 0]?.push(entry);
    markStart(starts, entry);
  }
  return {
    starts,
    letter: Uint16Array.from(letter),
    child: Int32Array.from(child),
    sibling: Int32Array.from(sibling),
    ends: Int32Array.from(ends),
    entries,
    roots,
  };
}

function markStart(starts: Uint8Array, { letters, isOpenAtStart }: Spelled): void {
  const [first = 0, second = 0, third] = letters;
  const mark = isOpenAtStart ? 2 : 1;
  const thirds = third === undefined ? Array.from({ length: 64 }, (_, any) => any) : [third];
  for (const any of thirds) {
    const slot = slotOf(first, second, any);
    starts[slot] = Math.max(starts[slot] ?? 0, mark);
  }
}

/** Calls `onFound` for every entry whose letters are in the line, and that may begin where they do. */
export function walk<Entry extends Spelled>(
  trie: Trie<Entry>,
  line: Line,
  onFound: (entry: Entry, start: number, end: number) => void,
): void {
  const { letters, gaps, length } = line;
  const { starts } = trie;
  let slot = slotOf(0, letters[0] ?? 0, letters[1] ?? 0);
  for (let start = 0; start + 1 < length; start += 1) {
    slot = ((slot << 6) & 0x3ffff) | ((letters[start + 2] ?? 0) & 63);
    const begins = starts[slot];
    if (begins === 0) continue;
    const isWithin = gaps[start] === nothing;
    if (isWithin && begins === 1) continue;
    walkFrom(trie, line, start, (entry, from, end) => {
      if (entry.isOpenAtStart || !isWithin) onFound(entry, from, end);
    });
  }
}

/** The same for the entries that begin at one letter, whatever stands before it. */
export function walkFrom<Entry>(
  { letter, child, sibling, ends, entries, roots }: Trie<Entry>,
  { letters, length }: Line,
  start: number,
  onFound: (entry: Entry, start: number, end: number) => void,
): void {
  let node = roots[letters[start] ?? 0] ?? 0;
  for (let end = start + 1; node !== 0; end += 1) {
    const found = ends[node] ?? 0;
    if (found !== 0) for (const entry of entries[found] ?? []) onFound(entry, start, end);
    if (end >= length) return;
    const next = letters[end];
    node = child[node] ?? 0;
    while (node !== 0 && letter[node] !== next) node = sibling[node] ?? 0;
  }
}
