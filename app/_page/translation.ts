import type { PluralForms, Word, Words } from '@/lib/services/forms/words';

/** The page's own text in one language. Used on the server and in the browser. */
export interface Translation {
  readonly words: Words;
  readonly language: string;
  /** The language with the region that the form's author named. It determines how dates and numbers are written. */
  readonly locale: string;
  /** Attributes for elements in this language inside a form in another one. */
  readonly attributes: { readonly lang?: string; readonly dir?: 'ltr' | 'rtl' };
  /** The language of what the form's author wrote, if it is another one. */
  readonly authorLanguage?: string;
}

/** The page's own text for a key, with values filled in. */
export function translate(
  translation: Translation,
  word: Word,
  values: Record<string, string | number> = {},
): string {
  return templateOf(translation, word, values).replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = values[name] ?? slot;
    return typeof value === 'number' ? new Intl.NumberFormat(translation.locale).format(value) : value;
  });
}

/** The text for a key in the plural form of its number, which is `n`, or `max` in a range. */
function templateOf(
  { words, language }: Translation,
  word: Word,
  values: Record<string, string | number>,
): string {
  const text: string | PluralForms = words[word];
  if (typeof text === 'string') return text;
  const number = Number(values.n ?? values.max);
  return text[new Intl.PluralRules(language).select(number)] ?? text.other;
}
