import { FairLimit, QueueFull } from '@/lib/platform/concurrency/fair-limit';
import type { Share } from '@/lib/platform/concurrency/fair-queue';
import { expect, test } from '../support/without-browser';

/** Work that ends when the test says so, and a record of the order in which it began. */
function work() {
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const of = (name: string) => () => {
    began.push(name);
    return new Promise<string>((resolve) => {
      ends.push(() => resolve(name));
    });
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const endNext = async () => {
    ends.shift()?.();
    await turn();
  };
  return { began, of, endNext, turn };
}

test("a client's many jobs let another client's job begin next, and what has no client goes first", async () => {
  const limit = new FairLimit({ atOnceMax: 2, waitingMax: 100 });
  const { began, of, endNext, turn } = work();
  const share = (client: string) => ({ rank: 1, owners: [client] });
  for (let index = 0; index < 10; index += 1) void limit.run(share('flood'), of(`flood ${index}`));
  void limit.run(share('honest'), of('honest'));
  void limit.run({ rank: 0, owners: ['ours'] }, of('ours'));
  await turn();
  expect(began).toEqual(['flood 0', 'flood 1']);
  await endNext();
  await endNext();
  expect(began).toEqual(['flood 0', 'flood 1', 'ours', 'honest']);
  await endNext();
  expect(began.at(-1)).toBe('flood 2');
});

test('a full queue drops the newest of who has the most; a failure frees its place', async () => {
  const limit = new FairLimit({ atOnceMax: 1, waitingMax: 2 });
  const { began, of, endNext, turn } = work();
  const share = (client: string) => ({ rank: 1, owners: [client] });
  const failing = limit.run(share('flood'), async () => {
    await turn();
    throw new Error('of its own');
  });
  failing.catch(() => undefined);
  void limit.run(share('flood'), of('flood 1'));
  const dropped = limit.run(share('flood'), of('flood 2'));
  dropped.catch(() => undefined);
  void limit.run(share('honest'), of('honest'));
  await expect(dropped).rejects.toThrow(QueueFull);
  await expect(failing).rejects.toThrow('of its own');
  await turn();
  await endNext();
  expect(began).toHaveLength(2);
  expect(new Set(began)).toEqual(new Set(['flood 1', 'honest']));
});

test('one job at a time runs in order, those of a lower rank first, and goes on after a failure', async () => {
  const limit = new FairLimit({ atOnceMax: 1, waitingMax: Number.POSITIVE_INFINITY });
  const { began, of, endNext, turn } = work();
  const urgent: Share = { rank: 0, owners: [] };
  const usual: Share = { rank: 1, owners: [] };
  const failing = limit.run(usual, async () => {
    throw new Error('no');
  });
  for (const name of ['second', 'third']) void limit.run(usual, of(name));
  for (const name of ['urgent', 'also urgent']) void limit.run(urgent, of(name));
  await expect(failing).rejects.toThrow('no');
  await turn();
  for (let ended = 0; ended < 4; ended += 1) await endNext();
  expect(began).toEqual(['urgent', 'also urgent', 'second', 'third']);
});
