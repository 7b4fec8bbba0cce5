import type { TextBlock } from './blocks';
import { cutAt, isContentWord, knownLanguage, sentencesOf, wordsOf } from './sentences';

/** Sentences are joined up to this length. */
const joinedMax = 200;
const passagesMax = 3;

/**
 * The passages of a text that answer a query best, word for word: up to three, the best first. A passage is a sentence, with those after
 * it while it is short, or a row of a table. Passages are ranked by the words that they share with the query, of which rare ones count
 * for more (Okapi BM25).
 * @param query without one, or when the text has none of its words, the words that are frequent in the text stand for it
 * @param charactersMax for all passages together
 * @param language BCP 47, to find words and sentences
 */
export function findPassages(
  blocks: readonly TextBlock[],
  query: string | undefined,
  charactersMax: number,
  language: string | undefined,
): string[] {
  const locale = knownLanguage(language);
  const texts = blocks.map(({ text }) => text);
  const passages = [...new Set(sentencesOf(texts, locale).flatMap(joined))];
  const words = wordsOf(passages, locale);
  const stems = words.map((list) => list.map(stemOf));
  const isWanted = (word: string) => wanted.has(word);
  const ofQuery = new Set(query === undefined ? [] : queryWords(query, locale).map(stemOf));
  const isThere = stems.some((list) => list.some((word) => ofQuery.has(word)));
  const wanted = isThere
    ? ofQuery
    : new Set(frequent(words.map((list) => list.filter(isContentWord).map(stemOf))));
  // A text of numbers has no such words. It begins with what it is about.
  if (!stems.flat().some(isWanted)) return within(passages, charactersMax);
  const counts = stems.map((list) => countsOf(list, wanted));
  const spread = new Map([...wanted].map((word) => [word, counts.filter((count) => count.has(word)).length]));
  const mean = stems.reduce((sum, list) => sum + list.length, 0) / Math.max(1, stems.length);
  const ranked = passages
    .map((passage, at) => {
      const length = (stems[at]?.length ?? 0) / mean;
      return { passage, at, score: scoreOf(counts[at] ?? new Map(), spread, passages.length, length) };
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.at - other.at);
  return within(
    ranked.map(({ passage }) => passage),
    charactersMax,
  );
}

/** The words of a question. Short ones count if they are written as names or numbers (`VAT`, `5G`), or if there are no others. */
function queryWords(query: string, locale: string | undefined): string[] {
  const names = new Set(query.match(/[\p{Lu}\p{N}]{2,}/gu)?.map((name) => name.toLowerCase()));
  const [words = []] = wordsOf([query], locale);
  const telling = words.filter((word) => isContentWord(word) || names.has(word) || /\p{N}/u.test(word));
  return telling.length > 0 ? telling : words;
}

/** The first passages, up to a length together. */
function within(passages: readonly string[], charactersMax: number): string[] {
  const chosen: string[] = [];
  let left = charactersMax;
  for (const passage of passages.slice(0, passagesMax)) {
    if (left <= 0) break;
    chosen.push(cutAt(passage, left));
    left -= passage.length;
  }
  return chosen;
}

/** Sentences of one block, joined as long as they are short together. */
function joined(sentences: readonly string[]): string[] {
  const passages: string[] = [];
  for (const sentence of sentences) {
    const last = passages.at(-1);
    if (last !== undefined && last.length + sentence.length < joinedMax)
      passages[passages.length - 1] = /[。！？]$/.test(last) ? last + sentence : `${last} ${sentence}`;
    else passages.push(sentence);
  }
  return passages;
}

function countsOf(words: readonly string[], wanted: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function frequent(words: readonly (readonly string[])[]): string[] {
  return [...countsOf(words.flat(), new Set(words.flat()))]
    .sort((one, other) => other[1] - one[1])
    .slice(0, 8)
    .map(([word]) => word);
}

/** Okapi BM25 with its usual constants. @param length of the passage, compared with the mean */
function scoreOf(
  counts: ReadonlyMap<string, number>,
  within: ReadonlyMap<string, number>,
  passages: number,
  length: number,
): number {
  let score = 0;
  for (const [word, times] of counts) {
    const count = within.get(word) ?? 0;
    const rarity = Math.log(1 + (passages - count + 0.5) / (count + 0.5));
    score += (rarity * times * 2.2) / (times + 1.2 * (0.25 + 0.75 * length));
  }
  return score;
}

/** Without accents and the usual English endings, so that `batteries` finds `battery`. */
function stemOf(word: string): string {
  const plain = word.normalize('NFKD').replace(/\p{M}/gu, '');
  if (plain.length <= 4) return plain;
  return plain.replace(/ies$/, 'y').replace(/(?<=[a-z]{3})(ing|ed|es|s)$/, '');
}
