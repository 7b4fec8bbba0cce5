import { UrgentLock } from '@/lib/payments/evm/urgent-lock';
import { expect, test } from '../support/without-browser';

test('runs one at a time, in order, with urgent work first', async () => {
  const lock = new UrgentLock();
  const ran: string[] = [];
  let running = 0;
  const work = (name: string, isUrgent: boolean) =>
    lock.run(isUrgent, async () => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      ran.push(name);
      running -= 1;
    });
  await Promise.all([
    work('first', false),
    work('second', false),
    work('third', false),
    work('urgent', true),
    work('also urgent', true),
  ]);
  expect(ran).toEqual(['first', 'urgent', 'also urgent', 'second', 'third']);
});

test('goes on after work that fails', async () => {
  const lock = new UrgentLock();
  const failing = lock.run(true, async () => {
    throw new Error('no');
  });
  const next = lock.run(true, async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});
