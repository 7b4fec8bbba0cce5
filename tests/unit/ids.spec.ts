import { newId, newOrderedId } from '@/lib/platform/ids';
import { expect, test } from '../support/without-browser';

/** Every character takes every value at every position, so the tokens contain no counter and no clock. */
function expectRandom(tokens: readonly string[], length: number): void {
  expect(new Set(tokens).size).toBe(tokens.length);
  expect(tokens.filter((one) => !/^[0-9A-Za-z]+$/.test(one) || one.length !== length)).toEqual([]);
  for (let place = 0; place < length; place += 1) {
    expect(new Set(tokens.map((one) => one[place])).size).toBe(62);
  }
  expect(length * Math.log2(62)).toBeGreaterThan(128);
}

test('an ID has more than 128 random bits', () => {
  const ids = Array.from({ length: 10_000 }, () => newId('fm'));
  expectRandom(
    ids.map((id) => id.slice('fm_'.length)),
    24,
  );
});

test('the ID of a paid call has more than 128 random bits after the second in which it was made', () => {
  const ids = Array.from({ length: 10_000 }, () => newOrderedId('pc', new Date('2026-11-22T10:00:00.999Z')));
  expect(new Set(ids.map((id) => id.slice(0, 'pc_'.length + 6))).size).toBe(1);
  expectRandom(
    ids.map((id) => id.slice('pc_'.length + 6)),
    22,
  );
});

test('IDs of paid calls sort by the second in which they were made', () => {
  const seconds = [0, 1, 61, 62, 3_843, 3_844, 1_795_341_600, 1_795_341_601, 56_800_235_583];
  const ids = seconds.map((second) => newOrderedId('pc', new Date(second * 1_000)));
  expect(ids.toSorted()).toEqual(ids);
  expect(ids.every((id) => id.length === ids[0]?.length)).toBe(true);
});
