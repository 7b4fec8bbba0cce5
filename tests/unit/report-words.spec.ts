import { readdirSync } from 'node:fs';
import { reportTextFor } from '@/app/report/_page/words';
import words from '@/app/report/_page/words.json' with { type: 'json' };
import { expect, test } from '../support/without-browser';

test('the page where people report a file has every language of the forms, with every word', () => {
  const languages = readdirSync('lib/services/forms/words').flatMap((file) =>
    file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : [],
  );
  expect(Object.keys(words).sort()).toEqual(languages.sort());
  for (const [language, own] of Object.entries(words)) {
    expect([language, ...Object.keys(own)]).toEqual([language, ...Object.keys(words.en)]);
    expect(Object.values(own).filter((text) => text.trim() === '')).toEqual([]);
  }
});

test('it is in the first language of the reader that there is', () => {
  expect(reportTextFor('de-AT, en;q=0.5')).toMatchObject({ language: 'de', own: words.de });
  expect(reportTextFor('zh-TW')).toMatchObject({ language: 'zh-Hant' });
  expect(reportTextFor('tlh, fr;q=0.2')).toMatchObject({ language: 'fr' });
  expect(reportTextFor('')).toMatchObject({ language: 'en' });
});
