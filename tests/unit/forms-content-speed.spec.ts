import { expect, test } from '@playwright/test';
import { type FormText, findForbiddenContent } from '@/lib/forms/content';

/** Processor time in milliseconds: the least of several runs, as whatever else runs can only add to it. */
function leastTime(run: () => void, runs: number): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

/** How many times slower than an idle core of 2.5 GHz, which takes 4.8 ms for 3,000,000 dependent multiplications. */
function slowness(): number {
  let product = 1;
  const multiply = () => {
    for (let at = 0; at < 3_000_000; at += 1) product = (Math.imul(product, 31) + at) | 0;
  };
  return Math.max(1, leastTime(multiply, 10) / 4.8);
}

/** A form of which every text is as long as it may be, filled with the words again and again. */
function largest(words: string, options = 50): FormText {
  const fill = (length: number, from: number) =>
    words.repeat(Math.ceil((length + from) / words.length)).slice(from, from + length);
  return {
    title: fill(120, 0),
    description: fill(2_000, 1),
    submitLabel: fill(60, 2),
    thankYou: fill(1_000, 3),
    questions: Array.from({ length: 20 }, (_, question) => ({
      label: fill(300, question),
      help: fill(300, question + 1),
      placeholder: fill(100, question + 2),
      options: Array.from({ length: options }, (_, option) => fill(200, (option * 3 + question) % 40)),
    })),
  };
}

const honest: readonly [what: string, words: string][] = [
  [
    'English',
    'please tell us which number of cards your business would like to have near the river for the bank holiday ',
  ],
  [
    'English with digits and signs',
    'call us at 10:30, bring 2 friends (or 3!) and $5 for the t-shirts & 1 key card @ gate 7 ',
  ],
  ['Russian', 'сколько карточек вашему предприятию нужно для праздника в городе у реки номер дома '],
  ['Chinese', '请问您的会员活动是什么学院银杏树化系统在哪里'],
  ['Arabic', 'كم عدد البطاقات التي تحتاجها شركتكم في عطلة المدينة قرب النهر رقم البيت '],
];

for (const [what, words] of honest) {
  test(`judges the largest form in ${what} within 5 ms of an idle core`, () => {
    const form = largest(words);
    expect(leastTime(() => findForbiddenContent(form), 30) / slowness()).toBeLessThan(5);
  });
}

const hostile: readonly [what: string, words: string][] = [
  ['secrets and look-alikes', 'pin pin pin postal pin code '],
  ['a disguise in every word', 'pаsswоrd manager 1 '],
  ['nothing but zero-width characters', '\u200b'],
  ['ligatures of eighteen letters', '\ufdfa'],
  ['single letters', 'p.a.s.s.'],
  ['beginnings of long phrases', 'number on the front of your number on the '],
  ['one letter', 'p'],
  ['marks', 'p\u0301\u0336'],
  ['signs', '!|+^'],
];

for (const [what, words] of hostile) {
  test(`takes time in proportion for forms of ${what}`, () => {
    const form = largest(words);
    expect(leastTime(() => findForbiddenContent(form), 10) / slowness()).toBeLessThan(40);
    const [half, whole] = [
      leastTime(() => findForbiddenContent(largest(words, 25)), 10),
      leastTime(() => findForbiddenContent(form), 10),
    ];
    expect(whole).toBeLessThan(Math.max(half * 3, 5));
  });
}
