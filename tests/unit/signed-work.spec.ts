import { FreeAdmission } from '@/lib/http/free-admission';
import { RateLimits } from '@/lib/http/rate-limit';
import { RefusalHistory } from '@/lib/http/refusal-history';
import { SignedWork } from '@/lib/http/signed-work';
import { Throttle } from '@/lib/http/throttle';
import { systemClock } from '@/lib/platform/clock';
import type { Requester } from '@/lib/platform/threads';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const signed = (address: string, owner: string): Requester => ({ address, owner, priority: 'signed' });
const poor = signed('192.0.2.1', 'poor');

/** Records this many answers with a status to a payer's requests. */
async function note(
  standings: RefusalHistory,
  requester: Requester,
  status: number,
  times: number,
): Promise<void> {
  for (let index = 0; index < times; index += 1) await standings.note(requester, status);
}

test('a payer with many refused requests is doubtful; another at its address is not', async () => {
  const standings = new RefusalHistory(1);
  await note(standings, poor, 402, 20);
  expect(await standings.isDoubtful(poor)).toBe(false);
  await note(standings, poor, 402, 1);
  expect(await standings.isDoubtful(poor)).toBe(true);
  expect(await standings.isDoubtful(signed(poor.address, 'rich'))).toBe(false);
  expect(await standings.isDoubtful(signed('192.0.2.2', 'poor'))).toBe(false);
});

test('at an address with many refused wallets, all are doubtful except those served before', async () => {
  const standings = new RefusalHistory(1);
  await standings.note(signed(poor.address, 'rich'), 200);
  for (let index = 0; index <= 100; index += 1)
    await standings.note(signed(poor.address, `wallet ${index}`), 400);
  expect(await standings.isDoubtful(signed(poor.address, 'new'))).toBe(true);
  expect(await standings.isDoubtful(signed(poor.address, 'rich'))).toBe(false);
  expect(await standings.isDoubtful(signed('192.0.2.2', 'new'))).toBe(false);
});

test('refusals of those who only name a contract wallet count for their address, not for the wallet', async () => {
  const standings = new RefusalHistory(1);
  const named = { ...signed(poor.address, 'wallet'), isPayerProven: false };
  await note(standings, named, 402, 100);
  expect(await standings.isDoubtful(named)).toBe(false);
  await note(standings, named, 402, 1);
  expect(await standings.isDoubtful(named)).toBe(true);
  expect(await standings.isDoubtful({ ...named, address: '192.0.2.2' })).toBe(false);
  await standings.note(named, 200);
  expect(await standings.isDoubtful(named)).toBe(false);
});

test('our own failures make nobody doubtful', async () => {
  const standings = new RefusalHistory(1);
  await note(standings, poor, 503, 1_000);
  expect(await standings.isDoubtful(poor)).toBe(false);
});

/** Work on requests that share a throttle and rate limits. */
function newWork(history: RefusalHistory, { address }: Requester = poor) {
  const parts = { throttle: new Throttle(testPlatform()), rateLimits: new RateLimits(0.05) };
  const next = (from = address) => new SignedWork(history, parts.throttle, new FreeAdmission(parts, from));
  return { ...parts, next };
}

test('under load, requests of a doubtful payer are handled one by one, those of others in parallel', async () => {
  const history = new RefusalHistory(1);
  const { throttle, next } = newWork(history);
  throttle.beginPaying();
  await note(history, poor, 402, 21);

  const [first, second] = [next(), next()];
  await first.begin(poor);
  let isSecondBegun = false;
  const beginning = second.begin(poor).then(() => {
    isSecondBegun = true;
  });
  await next('192.0.2.2').begin(signed('192.0.2.2', 'rich'));
  expect(isSecondBegun).toBe(false);
  await first.end(402);
  await beginning;
});

test('a request counts as paying once its payer is known, and until its response', async () => {
  const { throttle, next } = newWork(new RefusalHistory(1));
  const work = next();
  expect(throttle.paying).toBe(0);
  await work.begin(poor);
  expect(throttle.paying).toBe(1);
  await work.end(200);
  expect(throttle.paying).toBe(0);
});

test('a request whose credential cannot pay is a free call: it is counted, takes its turn, and pays for nobody', async () => {
  const { throttle, next } = newWork(new RefusalHistory(1));
  const running = next();
  await running.beginUnpaid(poor.address, 0);
  expect(throttle.paying).toBe(0);
  throttle.beginPaying();
  let isBegun = false;
  const waiting = next();
  const beginning = waiting.beginUnpaid(poor.address, 0).then(() => {
    isBegun = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isBegun).toBe(false);
  await running.end(402);
  await beginning;
  await waiting.end(402);
  for (let index = 0; index < 8; index += 1) {
    const work = next();
    await work.beginUnpaid(poor.address, 0);
    await work.end(402);
  }
  await expect(next().beginUnpaid(poor.address, 0)).rejects.toMatchObject({ code: 'rate_limited' });
});

test('credentials that cannot pay make their address doubtful', async () => {
  const history = new RefusalHistory(1);
  for (let index = 0; index <= 100; index += 1) {
    expect(await history.isDoubtful(poor)).toBe(false);
    await history.noteUnusable(poor.address);
  }
  expect(await history.isDoubtful(poor)).toBe(true);
  expect(await history.isDoubtfulAddress(poor.address)).toBe(true);
  expect(await history.isDoubtfulAddress('192.0.2.2')).toBe(false);
});

test('while somebody pays, made-up payments over the limit are refused one at a time, with a pause after each', async () => {
  const pauses: (() => void)[] = [];
  const clock = {
    ...systemClock,
    sleep: () => new Promise<void>((resolve) => void pauses.push(resolve)),
  };
  const app = { throttle: new Throttle(testPlatform({}, clock)), rateLimits: new RateLimits(0.005) };
  const madeUp = () =>
    new SignedWork(null, app.throttle, new FreeAdmission(app, poor.address)).beginUnpaid(poor.address, 0);
  await madeUp();
  app.throttle.beginPaying();
  let refused = 0;
  const refusals = Array.from({ length: 5 }, () => madeUp().catch(() => (refused += 1)));
  for (const wanted of [0, 1, 2, 3, 4, 5]) {
    await new Promise((resolve) => setImmediate(resolve));
    expect([refused, pauses.length]).toEqual([wanted, wanted < 5 ? 1 : 0]);
    pauses.shift()?.();
  }
  await Promise.all(refusals);
});
