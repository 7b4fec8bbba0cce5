import { plainText, scoreText } from '@/tools/reader-bench/score';
import { expect, test } from '../support/without-browser';

const page = {
  mainContent: 'The lamp burns. The lamp!',
  with: ['the lamp burns', 'gone'],
  without: ['menu'],
};

test('the score of a page compares words as multisets, whatever their case', () => {
  const score = scoreText('the lamp burns, menu', page);
  expect(score.precision).toBe(3 / 4);
  expect(score.recall).toBe(3 / 5);
  expect(score.f1).toBeCloseTo(2 / 3);
  expect([score.with, score.without]).toEqual([1 / 2, 1]);
});

test('a page that was read as empty scores nothing', () => {
  expect(scoreText('', page)).toMatchObject({ f1: 0, precision: 0, recall: 0, with: 0, without: 0 });
});

test('Markdown becomes plain text without images, addresses of links and markup characters', () => {
  const markdown =
    '# A *b* `c`\n\n- [d e](https://x.test/(1) "t") ![f](g.png)\n\n| h | i<br>j |\n| --- | --- |\n\n```ts\nk_1\n```\n1\\. ~~l~~';
  expect(plainText(markdown).replace(/---/g, '').split(/\s+/).filter(Boolean)).toEqual([
    'A',
    'b',
    'c',
    'd',
    'e',
    'h',
    'i',
    'j',
    'k_1',
    '1.',
    'l',
  ]);
});
