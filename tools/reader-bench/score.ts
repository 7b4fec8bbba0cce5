/** How well a reader read a page: shares between 0 and 1. */
export interface Score {
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
  /** The part of the phrases that must be there and are. */
  readonly with: number;
  /** The part of the phrases that must not be there and are. Lower is better. */
  readonly without: number;
}

/** Markdown as plain text: without images, links as their texts, without markup characters. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/^\s*(```+|~~~+)[^\n`]*$/gm, '')
    .replace(/!\[(?:\\.|[^\]\\])*\]\((?:\\.|[^()\\]|\([^()]*\))*\)/g, '')
    .replace(/\[((?:\\.|[^[\]\\]|\[[^[\]]*\])*)\]\((?:\\.|[^()\\]|\([^()]*\))*\)/g, '$1')
    .replace(/<br\s*\/?>/g, ' ')
    .replace(/^\s*(#{1,6}|>|[-*+])\s+/gm, '')
    .replace(/(?<!\\)(\*+|`+|~~|\|)/g, ' $1 ')
    .replace(/(?<!\\) (?:\*+|`+|~~) /g, '')
    .replace(/(?<!\\) \| /g, ' ')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');
}

/** The words of a text: Python's `\w+` in lower case, as the benchmark counts them. */
function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((total, n) => total + n, 0);

function shareFound(text: string, phrases: readonly string[], ifNone: number): number {
  if (phrases.length === 0) return ifNone;
  const flat = (words: string) => words.toLowerCase().replace(/\s+/g, ' ').trim();
  const within = flat(text);
  return phrases.filter((phrase) => within.includes(flat(phrase))).length / phrases.length;
}

/** Compares the text that a reader returned with the true one, word by word as multisets. */
export function scoreText(
  text: string,
  page: {
    readonly mainContent: string;
    readonly with: readonly string[];
    readonly without: readonly string[];
  },
): Score {
  const [predicted, actual] = [countWords(text), countWords(page.mainContent)];
  let overlap = 0;
  for (const [word, count] of predicted) overlap += Math.min(count, actual.get(word) ?? 0);
  const share = (whole: number) => (whole === 0 ? 0 : overlap / whole);
  const isBothEmpty = predicted.size === 0 && actual.size === 0;
  const precision = isBothEmpty ? 1 : share(sum(predicted));
  const recall = isBothEmpty ? 1 : share(sum(actual));
  return {
    f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall),
    precision,
    recall,
    with: shareFound(text, page.with, 1),
    without: shareFound(text, page.without, 0),
  };
}
