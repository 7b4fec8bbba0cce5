import type { Word, Words } from '@/lib/services/forms/words';

/** The page's own text in one language. Used on the server and in the browser. */
export interface Translation {
  readonly words: Words;
  readonly language: string;
  /** Attributes for elements in this language inside a form in another one. */
  readonly attributes: { readonly lang?: string; readonly dir?: 'ltr' | 'rtl' };
}

/** The page's own text for a key, with values filled in. */
export function translate(
  { words, language }: Translation,
  word: Word,
  values: Record<string, string | number> = {},
): string {
  return words[word].replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = values[name] ?? slot;
    return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value;
  });
}
