import { contentWords, knownLanguage, split } from './sentences';

/** The sentences that are considered, which limits the work. */
const consideredMax = 600;
const passageLengthMax = 400;
const passagesMax = 3;

/**
 * The passages of a text that answer a query best, word for word: up to three, the best first. A passage is a sentence, with those after
 * it while it is short. Passages are ranked by the words that they share with the query, of which rare ones count for more (Okapi BM25).
 * @param query without one, the words that are frequent in the text stand for it
 * @param charactersMax for all passages together
 * @param language BCP 47, to find words and sentences
 */
export function findPassages(
  paragraphs: readonly string[],
  query: string | undefined,
  charactersMax: number,
  language: string | undefined,
): string[] {
  const locale = knownLanguage(language);
  const sentences = split(paragraphs, 'sentence', locale).map((ofParagraph) =>
    ofParagraph.map((sentence) => sentence.trim()).filter((sentence) => sentence !== ''),
  );
  const passages = sentences.flatMap(joined).slice(0, consideredMax);
  const stemsOf = (texts: readonly string[]) =>
    split(
      texts.map((text) => text.toLowerCase()),
      'word',
      locale,
    ).map((words) => contentWords(words).map(stemOf));
  const words = stemsOf(passages);
  const wanted = new Set(query === undefined ? frequent(words.flat()) : stemsOf([query])[0]);
  const mean = words.flat().length / Math.max(1, words.length);
  const within = new Map(
    [...wanted].map((word) => [word, words.filter((list) => list.includes(word)).length]),
  );
  const ranked = passages
    .map((passage, at) => ({ passage, at, score: scoreOf(words[at] ?? [], within, passages.length, mean) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.at - other.at);
  const chosen: string[] = [];
  let left = charactersMax;
  for (const { passage } of ranked) {
    if (chosen.length >= passagesMax || left <= 0) break;
    if (chosen.includes(passage)) continue;
    chosen.push(passage.slice(0, left));
    left -= passage.length;
  }
  return chosen;
}

/** Sentences of one paragraph, joined as long as they are short together. */
function joined(sentences: readonly string[]): string[] {
  const passages: string[] = [];
  for (const sentence of sentences) {
    const last = passages.at(-1);
    if (last !== undefined && last.length + sentence.length < passageLengthMax / 2)
      passages[passages.length - 1] = `${last} ${sentence}`;
    else passages.push(sentence.slice(0, 2 * passageLengthMax));
  }
  return passages;
}

function frequent(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort((one, other) => other[1] - one[1])
    .slice(0, 8)
    .map(([word]) => word);
}

/** Okapi BM25 with its usual constants. */
function scoreOf(
  words: readonly string[],
  within: ReadonlyMap<string, number>,
  passages: number,
  meanLength: number,
): number {
  let score = 0;
  for (const [word, count] of within) {
    const times = words.filter((one) => one === word).length;
    if (times === 0) continue;
    const rarity = Math.log(1 + (passages - count + 0.5) / (count + 0.5));
    score += (rarity * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * words.length) / meanLength));
  }
  return score;
}

/** Without accents and the usual English endings, so that `batteries` finds `battery`. */
function stemOf(word: string): string {
  const plain = word.normalize('NFKD').replace(/\p{M}/gu, '');
  if (plain.length <= 4) return plain;
  return plain.replace(/ies$/, 'y').replace(/(?<=[a-z]{3})(ing|ed|es|s)$/, '');
}
