/** The number of characters to insert, delete or replace in one text to get the other. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, otherLetter] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === otherLetter ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Longer names are no typing errors of ours, and comparing them takes time. */
const lengthMax = 100;

/**
 * Those of the known names that someone may have meant, nearest first.
 * @param textOf what of a name is compared
 * @param shareMax the part of a name that may differ, from 0 to 1
 */
export function nearest<T>(
  meant: string,
  known: Iterable<T>,
  textOf: (name: T) => string,
  shareMax: number,
): T[] {
  if (meant.length > lengthMax) return [];
  return [...known]
    .flatMap((name) => {
      const text = textOf(name);
      const differing = (count: number) => count / Math.max(meant.length, text.length, 1);
      // At least as many letters differ as one text is longer than the other.
      if (differing(Math.abs(meant.length - text.length)) > shareMax) return [];
      const share = differing(editDistance(meant, text));
      return share <= shareMax ? [{ name, share }] : [];
    })
    .sort((one, other) => one.share - other.share)
    .map(({ name }) => name);
}
