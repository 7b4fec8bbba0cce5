import { operations } from '@/lib/catalog';
import { nearestEndpoints } from '@/lib/catalog/endpoints';
import type { Question } from '@/lib/catalog/form-questions';
import { checkAnswers } from '@/lib/services/forms/answers/check-answers';
import { rawAnswersOf } from '@/lib/services/forms/answers/fields';
import { blocksOf } from '@/lib/services/research/reader/page/blocks';
import { wholeAsUtf8 } from '@/lib/services/research/reader/page/encoding';
import { textTypeOf } from '@/lib/services/research/reader/page/text-types';
import { expect, test } from '../support/without-browser';

/**
 * What strangers send or serve is read on the event loop, so reading must take no longer than the text is long. Where the time grows
 * with the square of the length, a text of this length takes seconds.
 */
const length = 100_000;
const timeMaxMs = 200;

/** The shortest time of three, because others use the machine too. */
function timeOf(read: () => unknown): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let at = 0; at < 3 && shortest > timeMaxMs; at += 1) {
    const beganAt = performance.now();
    read();
    shortest = Math.min(shortest, performance.now() - beganAt);
  }
  return shortest;
}

const number: Question = { id: 'n', type: 'number', label: 'N', required: true };
const email: Question = { ...number, type: 'email' };
const answer = (question: Question, text: string) => () =>
  checkAnswers({ questions: [question], language: 'en' }, rawAnswersOf([question], [['q_n', text]]));
const long = (text: string, about = length) => text.repeat(about / text.length);

const reads: Readonly<Record<string, () => unknown>> = {
  'a number with spaces': answer(number, `+${long(' ')}x`),
  'a short number with spaces': answer(number, `+${long(' ', 19_000)}x`),
  'a number with zeros': answer(number, `0.${long('0')}1`),
  'a number in other digits': answer(number, long('𝟿', 1_000_000)),
  'an address with a query': answer(email, `mailto:${long('a')}?\u2028x`),
  'a path with slashes': () => nearestEndpoints(`/v1/${long('/')}x`),
  'the address of a page': () => textTypeOf('text/html', `https://a.example/${long('a')}.x`, undefined),
  'the name of a file': () =>
    textTypeOf('text/plain', 'https://a.example/', `attachment; filename=${long('a')}.x`),
  'an item of a list': () => blocksOf(`- ${long(' ')}a\u2028b`),
  'a text in another encoding': () => wholeAsUtf8(long('€ ', 1_000_000)),
  'a text in UTF-8': () => wholeAsUtf8(long('Ã© ', 1_000_000)),
};

for (const [title, read] of Object.entries(reads))
  test(`${title} is read in a time that grows with its length`, () => {
    expect(timeOf(read)).toBeLessThan(timeMaxMs);
  });

/** The same value once for each of its texts, with something after that text. */
function* withLongTexts(value: unknown, more: string): Generator<unknown> {
  if (typeof value === 'string') yield value + more;
  else if (Array.isArray(value))
    for (const [at, item] of value.entries())
      for (const other of withLongTexts(item, more)) yield value.with(at, other);
  else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(value))
      for (const other of withLongTexts(field, more)) yield { ...value, [name]: other };
}

const fillings = [' ', '.', '0', 'a', '-', '/', ';', '"', '\\'];

test('every field of every call is checked in a time that grows with its length', () => {
  const slow: string[] = [];
  for (const { id, body: schema, params, minimalBody, example } of operations)
    for (const filling of fillings) {
      const more = `${long(filling, 30_000)}\u2028`;
      for (const body of [...withLongTexts(example.body, more), ...withLongTexts(minimalBody, more)])
        if (timeOf(() => schema.safeParse(body)) > timeMaxMs) slow.push(`${id}: ${filling}`);
      for (const sent of withLongTexts(example.params, more))
        if (timeOf(() => params.safeParse(sent)) > timeMaxMs) slow.push(`${id}: ${filling}`);
    }
  expect(slow).toEqual([]);
});
