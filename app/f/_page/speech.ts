import type { Word, Words } from '@/lib/services/forms/words';

/** The page's own words, and how to write numbers among them. Runs on the server and in the browser. */
export interface Speech {
  readonly words: Words;
  readonly language: string;
  /** Attributes for elements in this language where the form around them is in another. */
  readonly mark: { readonly lang?: string; readonly dir?: 'ltr' | 'rtl' };
}

/** The page's own words for something, with values in their places. */
export function say(
  { words, language }: Speech,
  word: Word,
  values: Record<string, string | number> = {},
): string {
  return words[word].replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = values[name] ?? slot;
    return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value;
  });
}
