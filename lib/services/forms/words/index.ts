import ar from './ar.json';
import de from './de.json';
import en from './en.json';
import es from './es.json';
import fr from './fr.json';
import he from './he.json';
import hi from './hi.json';
import it from './it.json';
import ja from './ja.json';
import ko from './ko.json';
import nl from './nl.json';
import pl from './pl.json';
import pt from './pt.json';
import ru from './ru.json';
import tr from './tr.json';
import uk from './uk.json';
import zh from './zh.json';
import zhHant from './zh-Hant.json';

/** What a form's page says by itself, in one language. */
export type Words = Readonly<Record<keyof typeof en, string>>;
export type Word = keyof Words;

const known: Readonly<Record<string, Words>> = {
  ...{ ar, de, en, es, fr, he, hi, it, ja, ko, nl, pl, pt, ru, tr, uk, zh },
  'zh-Hant': zhHant,
};

/** The words that fit a language, and the language that they are in. */
export interface Chrome {
  readonly words: Words;
  readonly language: string;
}

/** The page's own words in the language of a form; in English where we have none. */
export function chromeFor(language: string): Chrome {
  return findChrome(language) ?? { words: en, language: 'en' };
}

/** The page's own words for a reader of whom only `Accept-Language` is known. */
export function chromeForReader(acceptLanguage: string): Chrome {
  const wanted = acceptLanguage
    .split(',')
    .map((part) => {
      const [tag = '', weight = ''] = part.trim().split(/;\s*q=/);
      return { tag, weight: weight === '' ? 1 : Number(weight) || 0 };
    })
    .sort((one, other) => other.weight - one.weight);
  for (const { tag } of wanted) {
    const found = findChrome(tag);
    if (found) return found;
  }
  return { words: en, language: 'en' };
}

function findChrome(tag: string): Chrome | null {
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

/** Which way a language is written. */
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
