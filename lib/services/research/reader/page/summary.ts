const sentencesMax = 5;
const charactersMax = 900;
/** Enough to summarize a text, and limits on the work. */
const paragraphsMax = 200;
const consideredMax = 400;

/**
 * An extractive summary: sentences of the text, word for word and in order, chosen by how frequent their words are and
 * how early they stand.
 * @param language BCP 47, to find words and sentences
 */
export function summarize(paragraphs: readonly string[], language: string | undefined): string {
  const locale = knownLanguage(language);
  const sentences = split(paragraphs.slice(0, paragraphsMax), 'sentence', locale)
    .flat()
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length >= 20 && sentence.length <= 500)
    .slice(0, consideredMax);
  const words = split(
    sentences.map((sentence) => sentence.toLowerCase()),
    'word',
    locale,
  ).map(contentWords);
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

/** The mean weight of its words. Early sentences get more. */
function scoreOf(words: readonly string[], at: number, counts: ReadonlyMap<string, number>): number {
  if (words.length === 0) return 0;
  const weight =
    words.reduce((sum, word) => sum + Math.log1p(counts.get(word) ?? 0), 0) / Math.sqrt(words.length + 4);
  return weight * (1 + 1 / (1 + at));
}

/** Scripts whose words are too short for length to matter. */
const isDense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** In most scripts short words are grammar. */
function contentWords(words: readonly string[]): string[] {
  return words.filter((word) => /\p{L}/u.test(word) && (word.length > 3 || isDense.test(word)));
}

/** Splits texts. A segmenter takes longer to make than to use. */
function split(
  texts: readonly string[],
  granularity: 'sentence' | 'word',
  locale: string | undefined,
): string[][] {
  const segmenter = new Intl.Segmenter(locale, { granularity });
  return texts.map((text) => [...segmenter.segment(text)].map(({ segment }) => segment));
}

function knownLanguage(language: string | undefined): string | undefined {
  try {
    return language === undefined ? undefined : Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}
