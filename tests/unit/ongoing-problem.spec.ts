import { type Clock, systemClock } from '@/lib/platform/clock';
import { describeError, type Logger } from '@/lib/platform/log';
import { OngoingProblem, OngoingProblems } from '@/lib/platform/ongoing-problem';
import { expect, test } from '../support/without-browser';

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

/** The problems of an app whose clock a test sets, and what they log. */
function watchedRequests() {
  let nowMs = 1_000_000;
  const timers: { readonly atMs: number; readonly run: () => void }[] = [];
  const logged: { level: string; details: Record<string, unknown>; message: string }[] = [];
  const clock: Clock = {
    ...systemClock,
    monotonic: () => nowMs,
    after(ms, run) {
      timers.push({ atMs: nowMs + ms, run });
      return () => undefined;
    },
  };
  const write = (level: string) => (details: Record<string, unknown>, message: string) =>
    logged.push({ level, details, message });
  const log = { info: write('info'), warn: write('warn'), error: write('error') } as unknown as Logger;
  const advance = (ms: number) => {
    nowMs += ms;
    for (const timer of timers.filter(({ atMs }) => atMs <= nowMs)) {
      timers.splice(timers.indexOf(timer), 1);
      timer.run();
    }
  };
  return { problems: new OngoingProblems(log, clock), logged, advance };
}

const refused = (text = 'connect ECONNREFUSED 127.0.0.1:5432') =>
  Object.assign(new Error(text), { code: 'ECONNREFUSED' });

test('an outage that refuses three thousand requests is a few lines in the log, with their number and the cause', () => {
  const { problems, logged, advance } = watchedRequests();
  for (let request = 1; request <= 3_000; request += 1) {
    const details = { requestId: `req_${request}`, code: 'service_unavailable', cause: refused() };
    problems.reportRequest('error', details, 'a request failed');
    advance(100);
  }
  const cause = { name: 'Error', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:5432' };
  expect(logged.length).toBeLessThan(6);
  for (const { level, details, message } of logged) {
    expect({ level, message }).toEqual({ level: 'error', message: 'a request failed' });
    expect(details).toMatchObject({ code: 'service_unavailable', cause });
  }
  expect(logged[1]?.details).toMatchObject({ times: 601, forSeconds: 60 });
  advance(60_000);
  expect(logged.at(-1)).toEqual({
    level: 'info',
    details: { code: 'service_unavailable', times: 3_000, forSeconds: 360 },
    message: 'over: a request failed',
  });
});

test('requests that fail for other reasons at the same time are logged apart', () => {
  const { problems, logged } = watchedRequests();
  for (const cause of [
    refused(),
    new TypeError('x is not a function'),
    new Error('timeout after 31 ms'),
    undefined,
  ])
    for (const code of ['internal_error', 'service_unavailable'])
      problems.reportRequest('error', { code, cause }, 'a request failed');
  expect(logged).toHaveLength(8);
  // The same reason, with another number and another call in its text.
  problems.reportRequest(
    'error',
    { code: 'internal_error', cause: new Error('timeout after 32 ms') },
    'a request failed',
  );
  expect(logged).toHaveLength(8);
});

test('a request that fails alone has one line, and the next one a minute later has its own', () => {
  const { problems, logged, advance } = watchedRequests();
  problems.reportRequest(
    'error',
    { requestId: 'req_1', code: 'internal_error', cause: refused() },
    'a request failed',
  );
  advance(60_000);
  problems.reportRequest(
    'error',
    { requestId: 'req_2', code: 'internal_error', cause: refused() },
    'a request failed',
  );
  expect(logged.map(({ details }) => details.requestId)).toEqual(['req_1', 'req_2']);
});

test('hostile texts in causes do not make a line each', () => {
  const { problems, logged } = watchedRequests();
  for (let letter = 0; letter < 5_000; letter += 1) {
    const cause = new Error([...letter.toString(2)].map((bit) => (bit === '1' ? 'a' : 'b')).join(''));
    problems.reportRequest('error', { code: 'internal_error', cause }, 'a request failed');
  }
  expect(logged.length).toBeLessThan(60);
});

test('the reason of an error from the database layer is logged, not the name of its function', () => {
  const raw = 'Raw query failed. Code: `42P01`. Message: `relation "installation" does not exist`';
  const error = new Error(`\nInvalid \`prisma.$queryRaw()\` invocation:\n\n\n${raw}`);
  expect(describeError(error)).toEqual({ name: 'Error', code: undefined, message: raw });
});
