import { pollForWork } from '@/lib/jobs/poll-for-work';
import { VirtualTime } from '../simulation/virtual-clock';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

/** Polling of a database whose answers change. */
function startPolling() {
  const clock = new VirtualTime().createClock();
  const found = { peers: 0, isUnfinished: false };
  let asked = 0;
  let acted = 0;
  let answer: () => Promise<typeof found> = async () => found;
  let peers = 0;
  const instance = {
    countPeers: (count: number) => {
      peers = count;
    },
    hasPeers: () => peers > 0,
  };
  const ask = () => {
    asked += 1;
    return answer();
  };
  const stop = pollForWork({ ...testPlatform({}, clock), instance }, ask, () => {
    acted += 1;
  });
  return {
    clock,
    found,
    stop,
    answerWith: (next: typeof answer) => {
      answer = next;
    },
    acted: () => acted,
    /** How often the database was queried in this time. */
    async askedIn(ms: number) {
      const before = asked;
      await clock.time.pass(ms);
      return asked - before;
    },
  };
}

test('a lone idle process asks every two seconds, and one with peers every second', async () => {
  const { askedIn, found } = startPolling();
  await askedIn(5_000);
  expect(await askedIn(60_000)).toBe(30);
  found.peers = 1;
  await askedIn(5_000);
  expect(await askedIn(60_000)).toBe(60);
});

test('a process asks more often while something is unfinished and for ten seconds after that', async () => {
  const { askedIn, found } = startPolling();
  found.isUnfinished = true;
  await askedIn(5_000);
  expect(await askedIn(60_000)).toBe(60);
  found.peers = 1;
  await askedIn(5_000);
  expect(await askedIn(60_000)).toBe(240);
  found.isUnfinished = false;
  expect(await askedIn(9_000)).toBe(36);
  await askedIn(5_000);
  expect(await askedIn(60_000)).toBe(60);
});

test('heartbeats go on while statements get no response or fail', async () => {
  const { askedIn, answerWith, acted, clock } = startPolling();
  await clock.time.pass(5_000);
  const before = acted();
  answerWith(() => new Promise(() => undefined));
  expect(await askedIn(20_000)).toBe(10);
  answerWith(() => Promise.reject(new Error('the database is away')));
  expect(await askedIn(20_000)).toBe(10);
  expect(acted()).toBe(before);
});

test('a stop waits for the heartbeat under way, after which none comes and nothing is done', async () => {
  const { askedIn, answerWith, acted, clock, found, stop } = startPolling();
  await clock.time.pass(5_000);
  let respond: () => void = () => undefined;
  answerWith(
    () =>
      new Promise((resolve) => {
        respond = () => resolve(found);
      }),
  );
  await clock.time.pass(2_000);
  const before = acted();
  let isStopped = false;
  const stopped = stop().then(() => {
    isStopped = true;
  });
  await clock.time.pass(1_000);
  expect(isStopped).toBe(false);
  respond();
  await clock.time.pass(10);
  await stopped;
  expect(await askedIn(10_000)).toBe(0);
  expect(acted()).toBe(before);
});
