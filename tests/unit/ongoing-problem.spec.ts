import { expect, test } from '@playwright/test';
import { OngoingProblem } from '@/lib/platform/ongoing-problem';

function watched() {
  const clock = { ms: 1_000_000 };
  const told: [level: string, details: object, message: string][] = [];
  const condition = new OngoingProblem((...line) => told.push(line), { monotonic: () => clock.ms });
  return { clock, told, condition };
}

test('a hundred transactions that wait for their network for a minute are logged once', () => {
  const { clock, told, condition } = watched();
  for (let seconds = 0; seconds < 60; seconds += 3) {
    for (let nonce = 0; nonce < 100; nonce += 1) condition.report('warn', { nonce }, 'the network is silent');
    clock.ms += 3_000;
  }
  expect(told).toEqual([['warn', { nonce: 0 }, 'the network is silent']]);
});

test('a lasting problem is logged at growing intervals, with its count and duration', () => {
  const { clock, told, condition } = watched();
  for (let seconds = 0; seconds <= 24 * 3_600; seconds += 3) {
    condition.report('warn', {}, 'the network is silent');
    clock.ms += 3_000;
  }
  expect(told.slice(0, 3)).toEqual([
    ['warn', {}, 'the network is silent'],
    ['warn', { times: 21, forSeconds: 60 }, 'the network is silent'],
    ['warn', { times: 61, forSeconds: 180 }, 'the network is silent'],
  ]);
  // In the end it is logged once an hour.
  expect(told.length).toBeLessThan(32);
});

test('the end of a problem is logged once, and only if it began', () => {
  const { clock, told, condition } = watched();
  condition.end({});
  condition.report('error', {}, 'the network is silent');
  condition.report('error', {}, 'the network is silent');
  clock.ms += 9_000;
  condition.end({ network: 'base' });
  condition.end({ network: 'base' });
  expect(told.slice(1)).toEqual([
    ['info', { network: 'base', times: 2, forSeconds: 9 }, 'over: the network is silent'],
  ]);
});

test('a problem that returns is logged again', () => {
  const { told, condition } = watched();
  condition.report('warn', {}, 'the network is silent');
  condition.end({});
  condition.report('warn', {}, 'the network is silent');
  expect(told.filter(([level]) => level === 'warn')).toHaveLength(2);
});
