import { GroupCommit } from '@/lib/platform/concurrency/group-commit';
import { expect, test } from '../support/without-browser';

test('items that arrive in the pause after a group run together after it, and the group has its results before', async () => {
  const groups: number[][] = [];
  let endPause = () => {};
  const commit = new GroupCommit<number, number>(
    async (items) => {
      groups.push([...items]);
      return items;
    },
    {
      sizeMax: 10,
      inFlightMax: 1,
      pause: () =>
        new Promise((resolve) => {
          endPause = resolve;
        }),
    },
  );
  expect(await commit.add(1)).toBe(1);
  const later = [commit.add(2)];
  await new Promise((resolve) => setImmediate(resolve));
  later.push(commit.add(3));
  await new Promise((resolve) => setImmediate(resolve));
  expect(groups).toEqual([[1]]);
  endPause();
  expect(await Promise.all(later)).toEqual([2, 3]);
  expect(groups).toEqual([[1], [2, 3]]);
});

test('a full group runs without a pause before it', async () => {
  const groups: number[][] = [];
  let pauses = 0;
  const commit = new GroupCommit<number, number>(
    async (items) => {
      groups.push([...items]);
      return items;
    },
    {
      sizeMax: 2,
      inFlightMax: 1,
      pause: async () => {
        pauses += 1;
      },
    },
  );
  await Promise.all([1, 2, 3, 4, 5].map((item) => commit.add(item)));
  expect(groups).toEqual([[1, 2], [3, 4], [5]]);
  // After the second group one item waits, and after the last one none.
  expect(pauses).toBe(2);
});
