import { readdirSync, readFileSync } from 'node:fs';
import { translate } from '@/app/_page/translation';
import { type PluralForms, pageTextFor, pageTextForReader } from '@/lib/services/forms/words';
import { expect, test } from '../support/without-browser';

/** The text of the form pages in every language. */

const folder = 'lib/services/forms/words';
const languages = readdirSync(folder).flatMap((file) =>
  file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : [],
);
const textsOf = (language: string): Record<string, string | PluralForms> =>
  JSON.parse(readFileSync(`${folder}/${language}.json`, 'utf8'));
const formsOf = (text: string | PluralForms) => (typeof text === 'string' ? [text] : Object.values(text));
const slotsOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([slot]) => slot).sort();
const english = textsOf('en');

test('a page is in the first language of its reader that it has, and looks at the first hundred or so', () => {
  expect(pageTextForReader('xx, de;q=0.5, fr;q=0.7').language).toBe('fr');
  expect(pageTextForReader(`${'xx,'.repeat(100)}de`).language).toBe('de');
  expect(pageTextForReader(`${'xx,'.repeat(10_000)}de`).language).toBe('en');
});

test('there are 18 languages', () => {
  expect(languages).toHaveLength(18);
});

for (const language of languages) {
  const texts = textsOf(language);

  test(`${language} has every text, in the order of English, and none is empty`, () => {
    expect(Object.keys(texts)).toEqual(Object.keys(english));
    const all = Object.values(texts).flatMap(formsOf);
    expect(all.filter((text) => text.trim() !== text || text === '')).toEqual([]);
  });

  test(`${language} has the slots of English in every text and plural form`, () => {
    const slots = Object.entries(texts).flatMap(([word, text]) =>
      formsOf(text).map((form) => [word, ...slotsOf(form)]),
    );
    const wanted = Object.entries(texts).flatMap(([word, text]) => {
      const [first = ''] = formsOf(english[word] ?? '');
      return formsOf(text).map(() => [word, ...slotsOf(first)]);
    });
    expect(slots).toEqual(wanted);
  });

  test(`${language} has only plural forms that the language has`, () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    for (const text of Object.values(texts)) {
      if (typeof text === 'string') continue;
      expect(pluralCategories).toEqual(expect.arrayContaining(Object.keys(text)));
    }
  });
}

for (const [language, n, text] of [
  ['en', 1, 'Up to 1 character'],
  ['en', 5_000, 'Up to 5,000 characters'],
  ['de', 5_000, 'Höchstens 5.000 Zeichen'],
  ['ru', 21, 'До 21 знака'],
  ['ru', 500, 'До 500 знаков'],
  ['pl', 500, 'Do 500 znaków'],
  ['ja', 500, '500 文字以内'],
] as const) {
  test(`a limit of ${n} characters in ${language}: ${text}`, () => {
    expect(
      translate({ ...pageTextFor(language), locale: language, attributes: {} }, 'lengthMax', { n }),
    ).toBe(text);
  });
}
