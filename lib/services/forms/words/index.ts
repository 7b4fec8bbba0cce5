import ar from './ar.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import he from './he.json' with { type: 'json' };
import hi from './hi.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import ko from './ko.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };
import ru from './ru.json' with { type: 'json' };
import tr from './tr.json' with { type: 'json' };
import uk from './uk.json' with { type: 'json' };
import zh from './zh.json' with { type: 'json' };
import zhHant from './zh-Hant.json' with { type: 'json' };

/** A text with a form for each plural category of the language (CLDR). `other` also covers the categories left out. */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

/** The text of a form's page, apart from the form itself, in one language. */
export type Words = {
  readonly [Name in keyof typeof en]: (typeof en)[Name] extends string ? string : string | PluralForms;
};
export type Word = keyof Words;

const known: Readonly<Record<string, Words>> = {
  ...{ ar, de, en, es, fr, he, hi, it, ja, ko, nl, pl, pt, ru, tr, uk, zh },
  'zh-Hant': zhHant,
};

/** The text of the page and its language. */
export interface PageText {
  readonly words: Words;
  readonly language: string;
}

/** The page's text in the language of a form, or in English if there is no translation. */
export function pageTextFor(language: string): PageText {
  return findPageText(language) ?? { words: en, language: 'en' };
}

/** How much of the header is read. Each language takes time, and browsers send few. */
const acceptLanguageLengthMax = 500;

/** The page's text for the reader's `Accept-Language`. */
export function pageTextForReader(acceptLanguage: string): PageText {
  const wanted = acceptLanguage
    .slice(0, acceptLanguageLengthMax)
    .split(',')
    .map((part) => {
      const [tag = '', weight = ''] = part.trim().split(/;\s*q=/);
      return { tag, weight: weight === '' ? 1 : Number(weight) || 0 };
    })
    .sort((one, other) => other.weight - one.weight);
  for (const { tag } of wanted) {
    const found = findPageText(tag);
    if (found) return found;
  }
  return { words: en, language: 'en' };
}

function findPageText(tag: string): PageText | null {
  const locale = localeOf(tag);
  if (!locale) return null;
  const { language, script } = locale.maximize();
  for (const name of [`${language}-${script}`, language]) {
    const words = known[name];
    if (words) return { words, language: name };
  }
  return null;
}

const rightToLeft = new Set([
  'Adlm',
  'Arab',
  'Aran',
  'Hebr',
  'Mand',
  'Mend',
  'Nkoo',
  'Rohg',
  'Samr',
  'Syrc',
  'Thaa',
  'Yezi',
]);

/** The text direction of a language. */
export function directionOf(tag: string): 'ltr' | 'rtl' {
  return rightToLeft.has(localeOf(tag)?.maximize().script ?? '') ? 'rtl' : 'ltr';
}

function localeOf(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag);
  } catch {
    return null;
  }
}
