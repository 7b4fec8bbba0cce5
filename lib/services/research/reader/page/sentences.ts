/** Scripts whose words are too short for length to matter. */
const isDense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** In most scripts short words are grammar. */
export function contentWords(words: readonly string[]): string[] {
  return words.filter((word) => /\p{L}/u.test(word) && (word.length > 3 || isDense.test(word)));
}

/** Splits texts. A segmenter takes longer to make than to use. */
export function split(
  texts: readonly string[],
  granularity: 'sentence' | 'word',
  locale: string | undefined,
): string[][] {
  const segmenter = new Intl.Segmenter(locale, { granularity });
  return texts.map((text) => [...segmenter.segment(text)].map(({ segment }) => segment));
}

export function knownLanguage(language: string | undefined): string | undefined {
  try {
    return language === undefined ? undefined : Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}
