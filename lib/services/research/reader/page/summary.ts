import type { TextBlock } from './blocks';
import { contentWords, cutAt, isDense, knownLanguage, sentencesOf } from './sentences';

const sentencesMax = 5;
const charactersMax = 900;
/** Enough to summarize a text, and limits on the work. */
const paragraphsMax = 200;
const consideredMax = 400;

/**
 * An extractive summary: sentences of the text, word for word and in order, chosen by how frequent their words are and
 * how early they stand.
 * @param blocks of which prose is preferred
 * @param language BCP 47, to find words and sentences
 * @param query if given, sentences with its words are preferred
 */
export function summarize(
  blocks: readonly TextBlock[],
  language: string | undefined,
  query?: string,
): string {
  const locale = knownLanguage(language);
  const prose = blocks.filter(({ isProse }) => isProse);
  const texts = (prose.length > 0 ? prose : blocks).slice(0, paragraphsMax).map(({ text }) => text);
  const sentences = sentencesOf(texts, locale)
    .flat()
    .filter((sentence) => sentence.length >= (isDense(sentence) ? 6 : 20) && sentence.length <= 500)
    .slice(0, consideredMax);
  // A text without sentences is as short as a summary, or begins with what it is about.
  if (sentences.length === 0) return cutAt(texts.join(' '), charactersMax);
  const words = contentWords(sentences, locale);
  const counts = new Map<string, number>();
  for (const word of words.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const topic = new Set(contentWords([query ?? ''], locale).flat());
  const favor = (list: readonly string[]) => 1 + 3 * list.filter((word) => topic.has(word)).length;
  const ranked = sentences
    .map((sentence, at) => {
      const list = words[at] ?? [];
      return { sentence, at, score: scoreOf(list, at, counts) * favor(list) };
    })
    .sort((a, b) => b.score - a.score || a.at - b.at);
  const chosen: typeof ranked = [];
  let length = 0;
  for (const candidate of ranked) {
    if (chosen.length >= sentencesMax) break;
    if (length + candidate.sentence.length > charactersMax) continue;
    if (chosen.some(({ sentence }) => sentence === candidate.sentence)) continue;
    chosen.push(candidate);
    length += candidate.sentence.length;
  }
  return chosen
    .sort((a, b) => a.at - b.at)
    .map(({ sentence }) => sentence)
    .join(' ');
}

/** The mean weight of its words. Early sentences get more. */
function scoreOf(words: readonly string[], at: number, counts: ReadonlyMap<string, number>): number {
  if (words.length === 0) return 0;
  const weight =
    words.reduce((sum, word) => sum + Math.log1p(counts.get(word) ?? 0), 0) / Math.sqrt(words.length + 4);
  return weight * (1 + 1 / (1 + at));
}
