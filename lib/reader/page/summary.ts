const sentencesMax = 5;
const charactersMax = 900;
/** Enough to know what a text is about, and a bound on the work. */
const consideredMax = 400;

/**
 * An extractive summary: sentences of the text itself, word for word and in their order, chosen by how often their words come
 * up in the whole and how early they stand. Nothing is written anew.
 * @param language BCP 47, for where words and sentences end
 */
export function summarize(paragraphs: readonly string[], language: string | undefined): string {
  const sentences = paragraphs
    .flatMap((paragraph) => split(paragraph, 'sentence', language))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length >= 20 && sentence.length <= 500)
    .slice(0, consideredMax);
  const words = sentences.map((sentence) => wordsOf(sentence, language));
  const counts = new Map<string, number>();
  for (const word of words.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const ranked = sentences
    .map((sentence, at) => ({ sentence, at, score: scoreOf(words[at] ?? [], at, counts) }))
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

/** The mean weight of its words, more for the first sentences of a text. */
function scoreOf(words: readonly string[], at: number, counts: ReadonlyMap<string, number>): number {
  if (words.length === 0) return 0;
  const weight =
    words.reduce((sum, word) => sum + Math.log1p(counts.get(word) ?? 0), 0) / Math.sqrt(words.length + 4);
  return weight * (1 + 1 / (1 + at));
}

/** Scripts that write a word with so few characters that length says nothing. */
const isDense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** Words that carry something: in most scripts the short ones are grammar. */
function wordsOf(sentence: string, language: string | undefined): string[] {
  return split(sentence.toLowerCase(), 'word', language).filter(
    (word) => /\p{L}/u.test(word) && (word.length > 3 || isDense.test(word)),
  );
}

function split(text: string, granularity: 'sentence' | 'word', language: string | undefined): string[] {
  const segmenter = new Intl.Segmenter(knownLanguage(language), { granularity });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

function knownLanguage(language: string | undefined): string | undefined {
  try {
    return language === undefined ? undefined : Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}
