import { type FormText, findForbiddenContent } from '@/lib/forms/content';
import type { Bench } from './bench';
import type { Row } from './table';

/** A form of which every text is as long as it may be, filled with the words again and again. */
function largest(words: string, options: number): FormText {
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
    'digits and signs',
    'call us at 10:30, bring 2 friends (or 3!) and $5 for the t-shirts & 1 key card @ gate 7 ',
  ],
  ['Russian', 'сколько карточек вашему предприятию нужно для праздника в городе у реки номер дома '],
  ['Chinese', '请问您的会员活动是什么学院银杏树化系统在哪里'],
  ['Arabic', 'كم عدد البطاقات التي تحتاجها شركتكم في عطلة المدينة قرب النهر رقم البيت '],
];

const hostile: readonly [what: string, words: string][] = [
  ['look-alikes', 'pin pin pin postal pin code '],
  ['disguises', 'pаsswоrd manager 1 '],
  ['zero-width characters', '\u200b'],
  ['ligatures of eighteen letters', '\ufdfa'],
  ['single letters', 'p.a.s.s.'],
  ['beginnings of long phrases', 'number on the front of your number on the '],
  ['marks', 'p\u0301\u0336'],
  ['signs', '!|+^'],
];

/** Judging the largest form there can be, against one with half of its options: time has to stay in proportion. */
export async function measureFormContent({ options }: Bench): Promise<Row[]> {
  const runs = options.isQuick ? 10 : 40;
  return [
    ...honest.map(([what, words]) => contentRow(what, words, runs, 5)),
    ...hostile.map(([what, words]) => contentRow(what, words, runs, 40)),
  ];
}

function contentRow(what: string, words: string, runs: number, aimMs: number): Row {
  const [half, whole] = [25, 50].map((count) => {
    const form = largest(words, count);
    return leastTime(() => findForbiddenContent(form), runs);
  }) as [number, number];
  const ratio = whole / half;
  return {
    name: `largest form, ${what}`,
    ours: `${whole.toFixed(1)} ms`,
    baseline: `${half.toFixed(1)} ms`,
    ratio,
    aim: `<= ${aimMs} ms, <= 3x`,
    isMet: whole <= aimMs && ratio <= 3,
  };
}

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
