/** How many typos a word of this length may have. */
export function typosAllowed(length: number): number {
  if (length < 4) return 0;
  return length < 6 ? 1 : 2;
}

/** The letters of a word, one bit each. Words that differ in many bits need no comparison. */
export function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at += 1) bits |= 1 << (word.charCodeAt(at) % 32);
  return bits;
}

function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((fours + (fours >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** A substitution changes two letters of the set, an insertion or deletion one. */
export function mayBeWithin(one: number, other: number, typos: number): boolean {
  return countBits(one ^ other) <= 2 * typos;
}

const cells = 128;
let [before, above, current] = [new Uint8Array(cells), new Uint8Array(cells), new Uint8Array(cells)];

/**
 * The number of insertions, deletions, substitutions and swaps of neighbors between two words (optimal string
 * alignment). Computes only the cells that at most `max` typos can reach.
 * @returns more than `max` when there are more
 */
export function typosBetween(one: string, other: string, max: number): number {
  const tooMany = max + 1;
  if (Math.abs(one.length - other.length) > max || other.length >= cells - 1) return tooMany;
  for (let column = 0; column <= Math.min(other.length, tooMany); column += 1) above[column] = column;
  for (let row = 1; row <= one.length; row += 1) {
    const first = Math.max(1, row - max);
    const last = Math.min(other.length, row + max);
    let least = first === 1 ? row : tooMany;
    current[first - 1] = least;
    for (let column = first; column <= last; column += 1) {
      const cost = costAt(one, other, row, column);
      current[column] = cost;
      if (cost < least) least = cost;
    }
    if (least > max) return tooMany;
    current[last + 1] = tooMany;
    [before, above, current] = [above, current, before];
  }
  return Math.min(above[other.length] ?? tooMany, tooMany);
}

function costAt(one: string, other: string, row: number, column: number): number {
  const letter = one.charCodeAt(row - 1);
  const otherLetter = other.charCodeAt(column - 1);
  const replaced = (above[column - 1] ?? 0) + (letter === otherLetter ? 0 : 1);
  const cost = Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
  const isSwap =
    row > 1 &&
    column > 1 &&
    letter === other.charCodeAt(column - 2) &&
    one.charCodeAt(row - 2) === otherLetter;
  return isSwap ? Math.min(cost, (before[column - 2] ?? 0) + 1) : cost;
}
