import { formLimits, type Question } from '@/lib/catalog/form-questions';
import { checkAnswers, writtenAnswers } from '@/lib/services/forms/answers/check';
import { rawAnswersOf } from '@/lib/services/forms/answers/fields';
import { expect, test } from '../support/without-browser';

const choice: Question = {
  id: 'food',
  type: 'choice',
  label: 'Food',
  required: false,
  options: ['Soup', 'Salad', 'Bread'],
};
const several: Question = { ...choice, id: 'days', type: 'multi_choice', maxSelections: 2 };
const text: Question = { id: 'name', type: 'long_text', label: 'Name', required: true };

function check(question: Question, ...post: [name: string, value: string][]) {
  return checkAnswers({ questions: [question], language: 'en' }, rawAnswersOf([question], post));
}

test('one option sent twice counts once', () => {
  expect(check(choice, ['q_food', '1'], ['q_food', '1'])).toEqual({ ok: true, answers: { food: 'Salad' } });
});

for (const required of [true, false]) {
  test(`different options for one answer are refused at the question, ${required ? 'required' : 'optional'}`, () => {
    expect(check({ ...choice, required }, ['q_food', '0'], ['q_food', '1'])).toEqual({
      ok: false,
      problems: [{ questionId: 'food', field: 'q_food', word: 'notAnOption', bound: undefined }],
    });
  });
}

test('different options for one answer do not break the page that shows the answers', () => {
  const raw = rawAnswersOf(
    [choice],
    [
      ['q_food', '0'],
      ['q_food', '1'],
    ],
  );
  expect(writtenAnswers({ questions: [choice], language: 'en' }, raw)).toEqual([]);
});

test('an option sent twice among several counts once, for the number of selections as well', () => {
  const answer = check(several, ['q_days', '2'], ['q_days', '0'], ['q_days', '2']);
  expect(answer).toEqual({ ok: true, answers: { days: ['Bread', 'Soup'] } });
});

test('control characters are removed from text; tabs and line breaks stay', () => {
  const answer = check(text, ['q_name', 'A\u0000d\u0007a\tL.\r\nB\u0085\u009f']);
  expect(answer).toEqual({ ok: true, answers: { name: 'Ada\tL.\nB' } });
});

test('however often a post selects "other", its text is read twice at most', () => {
  const withOther: Question = { ...several, allowOther: true };
  let reads = 0;
  const raw = {
    q_days: Array.from({ length: 1_990 }, () => 'other'),
    get o_days() {
      reads += 1;
      return 'Monday';
    },
  };
  expect(checkAnswers({ questions: [withOther], language: 'en' }, raw)).toEqual({
    ok: true,
    answers: { days: ['Monday'] },
  });
  expect(reads).toBeLessThanOrEqual(2);
});

test('the longest answer may have twice its length in characters that are tidied away', () => {
  const { longTextLengthMax } = formLimits;
  const lines = '\r\n'.repeat(longTextLengthMax - 2);
  const answer = check({ ...text, maxLength: longTextLengthMax }, [
    'q_name',
    `a${lines}${'\u0000'.repeat(5_000)}b`,
  ]);
  expect(answer).toEqual({ ok: true, answers: { name: `a${'\n'.repeat(longTextLengthMax - 2)}b` } });
});

for (const question of [
  { ...text, maxLength: 5_000 },
  { ...text, type: 'text', maxLength: 500 },
  { ...text, type: 'email' },
] as const)
  test(`a megabyte of line breaks is too long for an answer of type ${question.type}`, () => {
    const answer = check(question, ['q_name', `a${'\n'.repeat(1_000_000)}b`]);
    expect(answer).toMatchObject({ ok: false, problems: [{ questionId: 'name', word: 'tooLong' }] });
  });
