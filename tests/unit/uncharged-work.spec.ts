import { secondsUntilBelow } from '@/lib/calls/work-budget';
import { expect, test } from '../support/without-browser';

const now = new Date('2026-11-21T12:34:00Z');
const at = (time: string, amount: number) => ({ since: new Date(`2026-11-21T${time}:00Z`), amount });

for (const [what, spans, seconds] of [
  ['nothing was used', [], 0],
  ['less than the budget was used', [at('12:30', 99)], 0],
  ['all of it was used within ten minutes', [at('12:30', 100)], 56 * 60],
  ['what counts longest back is enough to wait for', [at('12:20', 60), at('11:40', 40)], 6 * 60],
  ['two spans have to end', [at('11:40', 10), at('11:50', 30), at('12:30', 90)], 16 * 60],
  ['far more was used than there is', [at('11:40', 10), at('12:30', 900)], 56 * 60],
  ['calls that were charged gave some back', [at('12:10', 120), at('12:30', -30)], 0],
] as const) {
  test(`when ${what}, there is budget again after ${seconds} s`, () => {
    expect(secondsUntilBelow(100, spans, now)).toBe(seconds);
  });
}
