import { FairQueue } from '@/lib/platform/concurrency/fair-queue';
import { expect, test } from '../support/without-browser';

const roomy = { entriesMax: 100, weightMax: 100 };

function takeAll(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

test('the better rank goes first, even if it came later', () => {
  const queue = new FairQueue<string>(roomy);
  queue.add('free 1', { rank: 2, owners: ['a'] });
  queue.add('free 2', { rank: 2, owners: ['b'] });
  queue.add('paid', { rank: 0, owners: ['c'] });
  expect(takeAll(queue)).toEqual(['paid', 'free 1', 'free 2']);
});

test('owners take turns, and the entries of one go in their order', () => {
  const queue = new FairQueue<string>(roomy);
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add(item, { rank: 0, owners: ['a'] });
  for (const item of ['b1', 'b2']) queue.add(item, { rank: 0, owners: ['b'] });
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
});

test('an owner that arrives while another is served goes next', () => {
  const queue = new FairQueue<string>(roomy);
  for (const item of ['a1', 'a2', 'a3']) queue.add(item, { rank: 0, owners: ['a'] });
  expect(queue.take()).toBe('a1');
  queue.add('b1', { rank: 0, owners: ['b'] });
  expect(takeAll(queue)).toEqual(['b1', 'a2', 'a3']);
});

test('the owner that was served last goes after the others, even if the queue was empty in between', () => {
  const queue = new FairQueue<string>(roomy);
  queue.add('a1', { rank: 0, owners: ['a'] });
  expect(queue.take()).toBe('a1');
  queue.add('a2', { rank: 0, owners: ['a'] });
  queue.add('b1', { rank: 0, owners: ['b'] });
  expect(takeAll(queue)).toEqual(['b1', 'a2']);
});

test('payers behind one address share its turns', () => {
  const queue = new FairQueue<string>(roomy);
  for (const item of ['x1', 'x2', 'x3']) queue.add(item, { rank: 0, owners: ['office', 'x'] });
  queue.add('y1', { rank: 0, owners: ['office', 'y'] });
  queue.add('z1', { rank: 0, owners: ['elsewhere', 'z'] });
  expect(takeAll(queue)).toEqual(['x1', 'z1', 'y1', 'x2', 'x3']);
});

test('an entry that turns out to be paid goes before unpaid ones', () => {
  const queue = new FairQueue<string>(roomy);
  queue.add('one', { rank: 1, owners: ['a'] });
  queue.add('other', { rank: 1, owners: ['b'] });
  queue.promote('other', 0);
  expect(takeAll(queue)).toEqual(['other', 'one']);
});

test('a full queue drops the newest entry of the owner with the most entries at the worst rank', () => {
  const queue = new FairQueue<string>({ entriesMax: 3, weightMax: 100 });
  queue.add('paid', { rank: 0, owners: ['a'] });
  queue.add('many 1', { rank: 2, owners: ['b'] });
  queue.add('many 2', { rank: 2, owners: ['b'] });
  expect(queue.add('one', { rank: 2, owners: ['c'] })).toEqual(['many 2']);
  expect(queue.add('many 3', { rank: 2, owners: ['b'] })).toEqual(['many 3']);
  expect(queue.add('paid too', { rank: 0, owners: ['a'] })).toHaveLength(1);
  expect(takeAll(queue)).toHaveLength(3);
});

test('weight is bounded as well as number', () => {
  const queue = new FairQueue<string>({ entriesMax: 100, weightMax: 10 });
  queue.add('heavy', { rank: 2, owners: ['a'] }, 8);
  expect(queue.add('light', { rank: 2, owners: ['b'] }, 2)).toEqual([]);
  expect(queue.add('paid', { rank: 0, owners: ['c'] }, 2)).toEqual(['light']);
  expect(queue.add('too heavy by itself', { rank: 0, owners: ['d'] }, 11)).toEqual(['too heavy by itself']);
  expect(queue.size).toBe(2);
});

test('an item that no longer waits is not served', () => {
  const queue = new FairQueue<string>(roomy);
  queue.add('gone', { rank: 0, owners: ['a'] });
  queue.add('here', { rank: 0, owners: ['a'] });
  expect(queue.remove('gone')).toBe(true);
  expect(takeAll(queue)).toEqual(['here']);
});
