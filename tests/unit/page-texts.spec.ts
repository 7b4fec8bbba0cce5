import { blocksOf } from '@/lib/services/research/reader/page/blocks';
import { findPassages } from '@/lib/services/research/reader/page/passages';
import { summarize } from '@/lib/services/research/reader/page/summary';
import { expect, test } from '../support/without-browser';

const markdown = `<!-- Page 1 -->

# The *new* plant

[![A hall](https://a.example/hall.png)](https://a.example/) The **plant** keeps [four hours](https://a.example/a_(b) "of it")
of its \\_output\\_, and a_name stays.

> - A quoted item, with \`code\` in it

| Part | Price |
| --- | --- |
| Wheel | 5 |

\`\`\`js
const wheel = 5;
\`\`\`
`;

test('blocks are the texts of Markdown without its marks; only paragraphs are prose', () => {
  expect(blocksOf(markdown)).toEqual([
    { text: 'The new plant', isProse: false },
    { text: 'The plant keeps four hours of its _output_, and a_name stays.', isProse: true },
    { text: 'A quoted item, with code in it', isProse: false },
    { text: 'Part | Price', isProse: false },
    { text: 'Wheel | 5', isProse: false },
    { text: 'const wheel = 5;', isProse: false },
  ]);
});

test('a segmenter, which copies its text for each segment, never gets a long one', () => {
  const given: number[] = [];
  const segment = Intl.Segmenter.prototype.segment;
  Intl.Segmenter.prototype.segment = function (text) {
    given.push(text.length);
    return segment.call(this, text);
  };
  try {
    const blocks = blocksOf('So it is in the town. '.repeat(10_000));
    expect(summarize(blocks, 'en')).toBe('So it is in the town.');
    expect(findPassages(blocks, 'town', 1_000, 'en')[0]).toContain('So it is in the town.');
    expect(findPassages(blocksOf('東京は首都です。'.repeat(3_000)), '首都', 10, 'ja')).toEqual([
      '東京は首都です。東京',
    ]);
  } finally {
    Intl.Segmenter.prototype.segment = segment;
  }
  expect(Math.max(...given)).toBeLessThanOrEqual(1_000);
});
