import { expect, test } from '@playwright/test';
import { newId } from '@/lib/platform/ids';

test('the ID of a paid call has more than 128 random bits, and ten thousand of them differ in every position', () => {
  const ids = Array.from({ length: 10_000 }, () => newId('pc'));
  expect(new Set(ids).size).toBe(ids.length);
  const random = ids.map((id) => id.slice('pc_'.length));
  expect(random.filter((one) => !/^[0-9A-Za-z]{24}$/.test(one))).toEqual([]);
  expect(24 * Math.log2(62)).toBeGreaterThan(128);
  // Every place takes every character: a counter or a clock in it would show.
  for (let place = 0; place < 24; place += 1) {
    expect(new Set(random.map((one) => one[place])).size).toBe(62);
  }
});
