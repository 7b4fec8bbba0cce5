import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from '@playwright/test';
import { Throttle } from '@/lib/http/throttle';
import { systemClock } from '@/lib/platform/clock';
import type { Siblings } from '@/lib/platform/siblings';
import { testPlatform } from '../support/platform';

/** A server that counts its requests, reads them to the end, and answers when the test says so. */
async function countingServer(throttle: Throttle) {
  const answers: (() => void)[] = [];
  let arrived = () => {};
  const hasArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    throttle.countAsPaying(req, res);
    req.resume();
    answers.push(() => res.end());
    arrived();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, port, answers, hasArrived };
}

test('a request with a payment counts as paying from the end of its body to its response', async () => {
  const throttle = new Throttle(testPlatform());
  const { server, port, answers, hasArrived } = await countingServer(throttle);
  const sending = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': 4 } });
  sending.write('ab');
  await hasArrived;
  expect(throttle.paying).toBe(0);
  sending.end('cd');
  await expect.poll(() => throttle.paying).toBe(1);
  const ended = new Promise((resolve) => sending.once('close', resolve));
  for (const answer of answers) answer();
  sending.once('response', (response) => response.resume());
  await ended;
  await expect.poll(() => throttle.paying).toBe(0);
  server.close();
});

test('a request that waits behind another of its connection ends with the connection', async () => {
  const throttle = new Throttle(testPlatform());
  const { server, port } = await countingServer(throttle);
  const socket = connect(port, '127.0.0.1');
  const one = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab';
  socket.write(one.repeat(3));
  await expect.poll(() => throttle.paying).toBe(3);
  socket.destroy();
  await expect.poll(() => throttle.paying).toBe(0);
  server.close();
});

test('unpaid responses do not wait for a request that never ends its body', async () => {
  const throttle = new Throttle(testPlatform());
  const { server, port, hasArrived } = await countingServer(throttle);
  const sending = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': 4 } });
  sending.on('error', () => undefined);
  sending.write('ab');
  await hasArrived;
  let answered = 0;
  for (let index = 0; index < 1_000; index += 1) void throttle.unpaidTurn().then(() => (answered += 1));
  // Work that waits for nothing finishes within one turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toBe(1_000);
  sending.destroy();
  server.closeAllConnections();
  server.close();
});

test('a request without a body counts as paying at once', async () => {
  const throttle = new Throttle(testPlatform());
  const { server, port, answers, hasArrived } = await countingServer(throttle);
  request({ port, host: '127.0.0.1', method: 'DELETE' }, (response) => response.resume()).end();
  await hasArrived;
  expect(throttle.paying).toBe(1);
  for (const answer of answers) answer();
  await expect.poll(() => throttle.paying).toBe(0);
  server.close();
});

test('without paying requests, free calls start at once', async () => {
  const throttle = new Throttle(testPlatform());
  const never = new Promise(() => undefined);
  expect(await Promise.all([1, 2, 3].map(() => throttle.callTurn(['a'], never)))).toEqual([true, true, true]);
});

test('without paying requests, no more than four free calls run, and one that waits long makes room', async () => {
  const throttle = new Throttle(testPlatform());
  let begun = 0;
  const never = new Promise(() => undefined);
  const calls = Array.from({ length: 6 }, () => throttle.callTurn(['a'], never).then(() => (begun += 1)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toBe(4);
  await Promise.all(calls);
});

test('free calls still yield for a moment after the last paid request', async () => {
  const throttle = new Throttle(testPlatform());
  const { server, port, answers, hasArrived } = await countingServer(throttle);
  request({ port, host: '127.0.0.1', method: 'DELETE' }, (response) => response.resume()).end();
  await hasArrived;
  for (const answer of answers) answer();
  await expect.poll(() => throttle.paying).toBe(0);
  let answered = 0;
  for (let index = 0; index < 100; index += 1) void throttle.unpaidTurn().then(() => (answered += 1));
  await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toBe(0);
  await expect.poll(() => answered).toBe(100);
  server.close();
});

test('during paying requests, free calls start one at a time, in turn by address', async () => {
  const throttle = new Throttle(testPlatform());
  const { server, port, answers, hasArrived } = await countingServer(throttle);
  request({ port, host: '127.0.0.1', method: 'DELETE' }, (response) => response.resume()).end();
  await hasArrived;
  const begun: string[] = [];
  let end = () => {};
  const first = new Promise<void>((resolve) => {
    end = resolve;
  });
  const call = (name: string, address: string, done: Promise<unknown>) =>
    throttle.callTurn([address], done).then(() => begun.push(name));
  const calls = [
    call('many 1', 'many', first),
    ...['many 2', 'many 3', 'many 4'].map((name) => call(name, 'many', Promise.resolve())),
    call('one', 'one', Promise.resolve()),
  ];
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['many 1']);
  end();
  await Promise.all(calls);
  expect(begun).toEqual(['many 1', 'one', 'many 2', 'many 3', 'many 4']);
  for (const answer of answers) answer();
  server.close();
});

test('unpaid responses take turns while another process has paid requests, and are sent at once after that', async () => {
  let hear = () => {};
  const clock = { ...systemClock, monotonic: () => now };
  const now = 0;
  const throttle = new Throttle(
    testPlatform({}, clock),
    siblings({ onPaying: (listener) => (hear = listener) }),
  );
  const answeredAtOnce = async () => {
    let answered = 0;
    for (let index = 0; index < 100; index += 1) void throttle.unpaidTurn().then(() => (answered += 1));
    await new Promise((resolve) => setImmediate(resolve));
    return answered;
  };
  expect(await answeredAtOnce()).toBe(100);
  hear();
  expect(await answeredAtOnce()).toBeLessThan(100);
});

test('a process tells the others again and again while it has paid requests', async () => {
  let told = 0;
  const timers: (() => void)[] = [];
  const clock = {
    ...systemClock,
    after(_: number, run: () => void) {
      timers.push(run);
      return () => undefined;
    },
  };
  const throttle = new Throttle(testPlatform({}, clock), siblings({ tellPaying: () => (told += 1) }));
  const { server, port, answers } = await countingServer(throttle);
  const ask = () => request({ port, host: '127.0.0.1' }).end();
  const sendings = [ask(), ask()];
  for (const sending of sendings) sending.once('response', (response) => response.resume());
  await expect.poll(() => throttle.paying).toBe(2);
  expect(told).toBe(1);
  timers.shift()?.();
  expect(told).toBe(2);
  for (const answer of answers) answer();
  await expect.poll(() => throttle.paying).toBe(0);
  timers.shift()?.();
  expect(told).toBe(2);
  server.closeAllConnections();
  server.close();
});

type Paying = Pick<Siblings, 'tellPaying' | 'onPaying'>;

function siblings(some: Partial<Paying>): Paying {
  return { tellPaying: () => {}, onPaying: () => {}, ...some };
}
