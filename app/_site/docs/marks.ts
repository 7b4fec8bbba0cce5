/** A piece of a text, and whether it is one of the words that were searched for. */
export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/**
 * Splits a text at the words that a search found in it.
 * @param words in lower case
 */
export function markWords(text: string, words: readonly string[]): readonly Piece[] {
  const parts = words.length === 0 ? [text] : text.split(wordsPattern(words));
  return parts.flatMap((part, at) => (part === '' ? [] : [{ text: part, isMatch: at % 2 === 1 }]));
}

/** Whole words, the longest first, so that none is cut by a shorter one. */
function wordsPattern(words: readonly string[]): RegExp {
  const escaped = [...words]
    .sort((one, other) => other.length - one.length)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
}
