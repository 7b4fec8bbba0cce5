import { BlockTimes } from '@/lib/payments/evm/block-times';
import { expect, test } from '../support/without-browser';

/** Blocks of a chain with one every two seconds, each visible 300 ms after its timestamp by a clock that began earlier. */
const visibleAt = (number: number) => 70_000 + number * 2_000 + 300;
const header = (number: number) => ({ number: BigInt(number), timestamp: BigInt(number * 2) });

function readThree(): BlockTimes {
  const times = new BlockTimes();
  for (const [number, lateMs] of [
    [10, 900],
    [11, 1_500],
    [13, 400],
  ] as const)
    times.read(header(number), visibleAt(number) + lateMs);
  return times;
}

test('the next block is due once three have been read, as late as the earliest of them was seen', () => {
  const times = new BlockTimes();
  times.read(header(10), visibleAt(10));
  times.read(header(11), visibleAt(11));
  expect(times.areKnown).toBe(false);
  expect(times.dueIn(visibleAt(11))).toBeNull();
  const known = readThree();
  expect(known.areKnown).toBe(true);
  expect(known.dueIn(visibleAt(13) + 500)).toBe(1_900);
  expect(known.dueIn(visibleAt(20) + 1_000)).toBe(1_400);
});

test('a block that is found sooner makes the next one due sooner, until it is long ago', () => {
  const times = readThree();
  times.saw(14n, visibleAt(14) + 50);
  expect(times.dueIn(visibleAt(15))).toBe(50);
  for (let number = 15; number < 40; number += 1) times.saw(BigInt(number), visibleAt(number) + 200);
  expect(times.dueIn(visibleAt(40))).toBe(200);
});

test('nothing is due on a chain whose blocks come at unequal intervals or several in a second', () => {
  const unequal = readThree();
  unequal.read({ number: 14n, timestamp: 27n }, visibleAt(14));
  expect(unequal.areKnown).toBe(false);
  expect(unequal.dueIn(visibleAt(14))).toBeNull();
  const quick = new BlockTimes();
  for (const number of [12, 20, 28, 36])
    quick.read({ number: BigInt(number), timestamp: BigInt(number / 4) }, number * 250);
  expect(quick.areKnown).toBe(false);
});
