import { findForbiddenContent } from '@/lib/services/forms/content';
import { largestForm } from '@/tests/unit/form-content/form-text';
import type { Bench } from './bench';
import type { Row } from './table';

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
  ['secrets in four scripts', 'пароль password 密码 كلمة المرور '],
  ['secrets in Hangul', '비밀번호를'],
  ['short secrets among fillers', 'the your pin 1 '],
  ['the same secret', 'cvv '],
];

/** Checks the largest possible form, and one with half of its options: the time must be proportional. */
export async function measureFormContent({ options }: Bench): Promise<Row[]> {
  const runs = options.isQuick ? 10 : 40;
  return [
    ...honest.map(([what, words]) => contentRow(what, words, runs, 5)),
    ...hostile.map(([what, words]) => contentRow(what, words, runs, 40)),
  ];
}

function contentRow(what: string, words: string, runs: number, aimMs: number): Row {
  const [half, whole] = [25, 50].map((count) => {
    const form = largestForm(words, count);
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

/** Processor time in milliseconds: the least of several runs, because other work can only add to it. */
function leastTime(run: () => void, runs: number): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
