/** Scripts whose words are too short for length to matter, and that put no spaces between them. */
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** A segmenter copies its text for each segment that it finds, so it gets short ones. */
const pieceMax = 1_000;
/** The sentences that are considered in all, which limits the work. */
const sentencesMax = 5_000;

/** @param language BCP 47. An unknown one is ignored. */
export function knownLanguage(language: string | undefined): string | undefined {
  try {
    return language === undefined ? undefined : Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}

/** The sentences of each text, word for word. Very long ones are cut, and there is a limit for all together. */
export function sentencesOf(texts: readonly string[], locale: string | undefined): string[][] {
  // A segmenter takes longer to make than to use.
  const segmenter = new Intl.Segmenter(locale, { granularity: 'sentence' });
  let left = sentencesMax;
  return texts.map((text) => {
    const sentences = segments(segmenter, text, left).map((sentence) => sentence.trim());
    left -= sentences.length;
    return sentences.filter((sentence) => sentence !== '');
  });
}

/** The words and numbers of each text, in lower case. */
export function wordsOf(texts: readonly string[], locale: string | undefined): string[][] {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
  return texts.map((text) =>
    (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).flatMap((word) =>
      dense.test(word) ? segments(segmenter, word, word.length) : [word],
    ),
  );
}

/** Whether a word says what a text is about. In most scripts short words are grammar. */
export const isContentWord = (word: string) => /\p{L}/u.test(word) && (word.length > 3 || dense.test(word));

/** The words of each text that say what it is about, in lower case. */
export function contentWords(texts: readonly string[], locale: string | undefined): string[][] {
  return wordsOf(texts, locale).map((words) => words.filter(isContentWord));
}

/** Whether a text is in a script in which a few characters say much. */
export const isDense = (text: string) => dense.test(text);

/** A text up to a length, without half a character at its end. */
export function cutAt(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

function segments(segmenter: Intl.Segmenter, text: string, most: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length && parts.length < most; ) {
    const found = Array.from(segmenter.segment(text.slice(at, at + pieceMax)), ({ segment }) => segment);
    // The last one may go on in the next piece.
    if (at + pieceMax < text.length && found.length > 1) found.pop();
    for (const segment of found) at += segment.length;
    parts.push(...found);
  }
  return parts.slice(0, most);
}
