import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@/lib/platform/clock';
import { FairLimit, type Lease, type Place, QueueFull } from '@/lib/platform/concurrency/fair-limit';
import { ownerOf } from '@/lib/platform/owners';
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
  const limit = new FairLimit({ size: 2, waitingMax: 100 });
  const { began, of, endNext, turn } = work();
  const share = (client: string) => ({ rank: 1, group: client });
  for (let index = 0; index < 10; index += 1) void limit.run(of(`flood ${index}`), share('flood'));
  void limit.run(of('honest'), share('honest'));
  void limit.run(of('ours'), { rank: 0, group: 'ours' });
  await turn();
  expect(began).toEqual(['flood 0', 'flood 1']);
  await endNext();
  await endNext();
  expect(began).toEqual(['flood 0', 'flood 1', 'ours', 'honest']);
  await endNext();
  expect(began.at(-1)).toBe('flood 2');
});

test('a full queue drops the newest of who has the most; a failure frees its place', async () => {
  const limit = new FairLimit({ size: 1, waitingMax: 2 });
  const { began, of, endNext, turn } = work();
  const share = (client: string) => ({ rank: 1, group: client });
  const failing = limit.run(async () => {
    await turn();
    throw new Error('of its own');
  }, share('flood'));
  failing.catch(() => undefined);
  void limit.run(of('flood 1'), share('flood'));
  const dropped = limit.run(of('flood 2'), share('flood'));
  dropped.catch(() => undefined);
  void limit.run(of('honest'), share('honest'));
  await expect(dropped).rejects.toThrow(QueueFull);
  await expect(failing).rejects.toThrow('of its own');
  await turn();
  await endNext();
  expect(began).toHaveLength(2);
  expect(new Set(began)).toEqual(new Set(['flood 1', 'honest']));
});

test('one job at a time runs in order, those of a lower rank first, and goes on after a failure', async () => {
  const limit = new FairLimit({ size: 1 });
  const { began, of, endNext, turn } = work();
  const [urgent, later] = [{ rank: 0 }, { rank: 1 }];
  const failing = limit.run(async () => {
    throw new Error('no');
  }, later);
  for (const name of ['second', 'third']) void limit.run(of(name), later);
  for (const name of ['urgent', 'also urgent']) void limit.run(of(name), urgent);
  await expect(failing).rejects.toThrow('no');
  await turn();
  for (let ended = 0; ended < 4; ended += 1) await endNext();
  expect(began).toEqual(['urgent', 'also urgent', 'second', 'third']);
});

/** A lock that is held, a record of the order in which further jobs get it, and of those that are dropped. */
async function held(bounds: { waitingMax?: number; waitingWeightMax?: number } = {}, place: Place = {}) {
  const limit = new FairLimit({ size: 1, ...bounds });
  const began: string[] = [];
  const dropped: string[] = [];
  const first = await limit.enter(place);
  const jobs: Promise<void>[] = [];
  const add = (name: string, at: Place) => {
    const job = limit.enter(at).then((lease) => {
      (lease ? began : dropped).push(name);
      lease?.release();
    });
    jobs.push(job);
  };
  const drain = async () => {
    first?.release();
    await Promise.all(jobs);
    return began;
  };
  return { limit, add, dropped, drain };
}

test('the better rank goes first, even if it came later', async () => {
  const { add, drain } = await held();
  add('free 1', { rank: 2, group: 'a' });
  add('free 2', { rank: 2, group: 'b' });
  add('paid', { rank: 0, group: 'c' });
  expect(await drain()).toEqual(['paid', 'free 1', 'free 2']);
});

test('an owner whose job runs goes after others that arrive meanwhile', async () => {
  const { add, drain } = await held({}, { group: 'a' });
  for (const name of ['a2', 'a3']) add(name, { group: 'a' });
  add('b1', { group: 'b' });
  expect(await drain()).toEqual(['b1', 'a2', 'a3']);
});

test('payers behind one address share its turns', async () => {
  const { add, drain } = await held();
  for (const name of ['x1', 'x2', 'x3']) add(name, { group: 'office', payer: 'x' });
  add('y1', { group: 'office', payer: 'y' });
  add('z1', { group: 'elsewhere', payer: 'z' });
  expect(await drain()).toEqual(['x1', 'z1', 'y1', 'x2', 'x3']);
});

test('a job that turns out to be paid while it waits goes before unpaid ones', async () => {
  const { add, drain } = await held();
  add('one', { rank: 1, group: 'a' });
  add('other', { rank: 1, group: 'b', onWait: (setRank) => setRank(0) });
  expect(await drain()).toEqual(['other', 'one']);
});

test('a full queue drops the newest job of the owner with the most at the worst rank', async () => {
  const { limit, add, dropped, drain } = await held({ waitingMax: 3 });
  add('paid', { rank: 0, group: 'a' });
  add('many 1', { rank: 2, group: 'b' });
  add('many 2', { rank: 2, group: 'b' });
  add('one', { rank: 2, group: 'c' });
  add('many 3', { rank: 2, group: 'b' });
  add('paid too', { rank: 0, group: 'a' });
  expect(limit.load.waiting).toBe(3);
  expect(await drain()).toEqual(['paid', 'paid too', 'many 1']);
  expect(dropped).toEqual(['many 2', 'many 3', 'one']);
});

test('weight is bounded as well as number', async () => {
  const { limit, add, dropped, drain } = await held({ waitingWeightMax: 10 });
  add('heavy', { rank: 2, group: 'a', weight: 8 });
  add('light', { rank: 2, group: 'b', weight: 2 });
  add('paid', { rank: 0, group: 'c', weight: 2 });
  add('too heavy by itself', { rank: 0, group: 'd', weight: 11 });
  expect(limit.load).toEqual({ waiting: 2, running: 1 });
  expect(await drain()).toEqual(['paid', 'heavy']);
  expect(dropped).toEqual(['light', 'too heavy by itself']);
});

test('a limit that grows lets those that wait go first', async () => {
  let size = 1;
  const limit = new FairLimit({ size: () => size });
  const began: string[] = [];
  const enter = (name: string) => limit.enter().then(() => began.push(name));
  for (const name of ['first', 'second', 'third']) void enter(name);
  size = 3;
  void enter('fourth');
  await new Promise((resolve) => setImmediate(resolve));
  expect(began).toEqual(['first', 'second', 'third']);
});

/** Long enough that only the tests about waiting reach the time limit. */
const usual = { size: 2, waitingMax: 20, waitMs: 60_000 };
const known = (payer: string) => ownerOf({ payer, onlyOn: null, isNewcomer: false });
const newcomer = (payer: string) => ownerOf({ payer, onlyOn: null, isNewcomer: true });

/** A limit with owners of which each may fill half of the queue. */
function limitOf(options: Partial<typeof usual> & { revokeAfterMs?: number } = {}): FairLimit {
  const { size, waitingMax, ...patience } = { ...usual, ...options };
  const waitingOfPayerMax = Math.ceil(waitingMax / 2);
  return new FairLimit({
    size,
    waitingMax,
    waitingOfPayerMax,
    patience: { clock: systemClock, ...patience },
  });
}

/** A queue that records whose jobs were started and whose were turned away. */
function recorded(options: Parameters<typeof limitOf>[0] = {}) {
  const queue = limitOf(options);
  const started: string[] = [];
  const refused: string[] = [];
  const leases: Lease[] = [];
  const add = (owner: { payer: string; group: string }, name = owner.payer) => {
    const entering = queue.enter(owner).then((lease) => {
      (lease ? started : refused).push(name);
      if (lease) leases.push(lease);
      return lease;
    });
    entered.push(entering);
    return entering;
  };
  const entered: Promise<unknown>[] = [];
  /** Lets the callbacks of decisions run. */
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const finishOne = async () => {
    leases.shift()?.release();
    await settle();
  };
  /** Ends every job in the order in which it started, until nothing waits. */
  const drain = async () => {
    await settle();
    while (leases.length > 0) await finishOne();
    await Promise.all(entered);
  };
  return { queue, add, started, refused, leases, settle, finishOne, drain };
}

test('a payer alone has every slot, and then its jobs run in order', async () => {
  const { add, started, drain } = recorded();
  for (const name of ['1', '2', '3', '4', '5']) add(known('a'), name);
  await drain();
  expect(started).toEqual(['1', '2', '3', '4', '5']);
});

test('owners of one address on two networks have a share each, whether newcomers or not', async () => {
  for (const isNewcomer of [false, true]) {
    const { add, started, drain } = recorded({ size: 1 });
    const on = (onlyOn: string) => ownerOf({ payer: 'a', onlyOn, isNewcomer });
    for (const name of ['1', '2', '3']) add(on('polygon'), name);
    add(on('base'), 'of the other');
    await drain();
    expect(started).toEqual(['1', 'of the other', '2', '3']);
  }
});

test('the further jobs of a payer wait behind the first ones of others', async () => {
  const { add, started, drain } = recorded({ size: 1 });
  for (const payer of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) add(known(payer));
  await drain();
  expect(started).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'a']);
});

test('a payer who sends one job at a time does not get ahead of one who has waited longer', async () => {
  const { add, started, finishOne, settle } = recorded({ size: 1 });
  for (const payer of ['a', 'b', 'b', 'b']) add(known(payer));
  await settle();
  for (let round = 0; round < 4; round += 1) {
    add(known('a'));
    await finishOne();
  }
  expect(started).toEqual(['a', 'b', 'a', 'b', 'a']);
});

test('a free slot goes to a payer without slots first', async () => {
  const { add, started, leases, settle } = recorded({ size: 3 });
  for (const payer of ['a', 'a', 'b', 'a', 'c']) add(known(payer));
  await settle();
  leases[2]?.release();
  await settle();
  expect(started).toEqual(['a', 'a', 'b', 'c']);
});

test('payers who were never charged share the turns of one payer, in turn', async () => {
  const { add, started, drain } = recorded({ size: 1 });
  add(known('first'));
  for (const payer of ['n1', 'n1', 'n2', 'n3']) add(newcomer(payer));
  for (let at = 0; at < 3; at += 1) add(known('k'));
  await drain();
  expect(started).toEqual(['first', 'n1', 'k', 'n2', 'k', 'n3', 'k', 'n1']);
});

test('a waiting payer gets a slot from the payer with more than half of them, its latest job first', async () => {
  const { add, leases, settle, started } = recorded({ size: 4, revokeAfterMs: 10 });
  for (let at = 0; at < 4; at += 1) add(known('a'));
  await settle();
  const waiting = add(known('b'));
  await expect.poll(() => leases.map(({ revoked }) => revoked.aborted)).toEqual([false, false, false, true]);
  leases[3]?.release();
  expect(await waiting).not.toBeNull();
  expect(started).toEqual(['a', 'a', 'a', 'a', 'b']);
});

test('a payer that lost a slot has no more than a share until it has no jobs', async () => {
  const { add, leases, settle, started } = recorded({ revokeAfterMs: 5 });
  for (let at = 0; at < 4; at += 1) add(known('a'), `a${at}`);
  await settle();
  add(known('b'), 'b0');
  await expect.poll(() => leases[1]?.revoked.aborted).toBe(true);
  leases[1]?.release();
  await settle();
  leases[2]?.release();
  await settle();
  expect(started, 'the place of b stays free').toEqual(['a0', 'a1', 'b0']);
  expect(await add(known('b'), 'b1')).not.toBeNull();
  for (const at of [0, 3, 4, 5]) {
    leases[at]?.release();
    await settle();
  }
  add(known('a'), 'again');
  add(known('a'), 'and again');
  await settle();
  expect(started.slice(3)).toEqual(['b1', 'a2', 'a3', 'again', 'and again']);
});

test('nobody is reduced below a fair share: with two of four slots each, a third payer waits', async () => {
  const { add, leases, settle, started } = recorded({ size: 4, revokeAfterMs: 5 });
  for (const payer of ['a', 'a', 'b', 'b', 'c']) add(known(payer));
  await settle();
  await sleep(40);
  expect(leases.filter(({ revoked }) => revoked.aborted)).toEqual([]);
  leases[0]?.release();
  await settle();
  expect(started.at(-1)).toBe('c');
});

test('new payers together give a slot back to a payer who was charged before, but not the other way around', async () => {
  const { add, leases, settle } = recorded({ revokeAfterMs: 5 });
  for (const payer of ['n1', 'n2']) add(newcomer(payer));
  await settle();
  add(known('k'));
  await expect.poll(() => leases.map(({ revoked }) => revoked.aborted)).toEqual([false, true]);
  leases[1]?.release();
  await settle();
  for (let at = 0; at < 3; at += 1) add(newcomer('n3'));
  await sleep(40);
  expect(leases.map(({ revoked }) => revoked.aborted)).toEqual([false, true, false]);
});

test('without others waiting nothing is revoked', async () => {
  const { add, leases, settle } = recorded({ revokeAfterMs: 5 });
  for (let at = 0; at < 4; at += 1) add(known('a'));
  await settle();
  await sleep(40);
  expect(leases.map(({ revoked }) => revoked.aborted)).toEqual([false, false]);
});

test('one payer may fill at most half of the queue', async () => {
  const { queue, add, refused, settle } = recorded({ size: 1, waitingMax: 4 });
  for (let at = 0; at < 4; at += 1) add(known('a'), `a${at}`);
  await settle();
  expect(refused).toEqual(['a3']);
  expect(queue.hasRoomFor(known('a'))).toBe(false);
  expect(queue.hasRoomFor(known('b'))).toBe(true);
});

test('a full queue drops the latest job of the payer with the most waiting, or refuses a payer who has as many', async () => {
  const { queue, add, refused, settle } = recorded({ size: 1, waitingMax: 4 });
  for (const name of ['a0', 'a1', 'a2']) add(known('a'), name);
  for (const payer of ['b', 'c', 'd', 'e']) add(known(payer));
  await settle();
  expect(refused.sort()).toEqual(['a2', 'e']);
  expect(queue.hasRoomFor(known('f'))).toBe(false);
});

test('new payers who fill the queue are dropped for a payer who was charged before', async () => {
  const { add, refused, started, drain } = recorded({ size: 1, waitingMax: 3 });
  for (const payer of ['n0', 'n1', 'n2', 'n3']) add(newcomer(payer));
  add(known('k'));
  await drain();
  expect(refused).toEqual(['n3']);
  expect(started).toEqual(['n0', 'k', 'n1', 'n2']);
});

test('with a queue of zero, jobs without a free slot are refused', async () => {
  const { add, refused, started, settle } = recorded({ size: 1, waitingMax: 0 });
  add(known('a'));
  add(known('b'));
  await settle();
  expect({ started, refused }).toEqual({ started: ['a'], refused: ['b'] });
});

test('a job that waits too long is rejected, and takes no slot afterwards', async () => {
  const { add, leases, settle, started } = recorded({ size: 1, waitMs: 10 });
  add(known('a'));
  expect(await add(known('b'))).toBeNull();
  leases[0]?.release();
  expect(await add(known('c'))).not.toBeNull();
  await settle();
  expect(started).toEqual(['a', 'c']);
});

test('releasing a slot twice frees it once', async () => {
  const { add, leases, settle, started } = recorded({ size: 1 });
  for (const payer of ['a', 'b', 'c']) add(known(payer));
  await settle();
  leases[0]?.release();
  leases[0]?.release();
  await settle();
  expect(started).toEqual(['a', 'b']);
});

test('a thousand jobs of random payers all end, and never more than the limit run at once', async () => {
  const queue = limitOf({ size: 3, waitingMax: 2_000, revokeAfterMs: 1 });
  let running = 0;
  let most = 0;
  let ended = 0;
  await Promise.all(
    Array.from({ length: 1_000 }, async (_, at) => {
      const lease = await queue.enter((at % 3 === 0 ? newcomer : known)(`p${(at * 7919) % 13}`));
      if (!lease) return;
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      ended += 1;
      lease.release();
    }),
  );
  expect({ most, ended }).toEqual({ most: 3, ended: 1_000 });
  expect(queue.hasRoomFor(known('after'))).toBe(true);
});
