import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { fromAnywhere } from '../support/accounts';
import { payingFetch } from '../support/buyer';
import { aFile } from '../support/files';
import { scrape, sumOf } from '../support/metrics';
import { newEvmPayer } from '../support/payers';
import { startServer } from '../support/server';
import { stack } from '../support/stack';
import { byTheFramework, isStartedByNext } from '../support/started-by';
import { stallingTimings } from '../support/timings';
import { buySlot, putFile, type Slot } from '../support/uploads';
import { expect, test } from '../support/without-browser';

test.skip(isStartedByNext, byTheFramework);

// How much of a server one client can hold without paying for it: requests, bodies and downloads.

const largest = 10 * 1024 * 1024;

/**
 * Sends text on its own connection.
 * @param isAnswered whether this is the complete answer; the client then ends its side
 * @returns everything that came back until the connection was closed
 */
function speak(
  origin: string,
  text: string,
  isAnswered: (answer: string) => boolean = () => false,
): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.write(text);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
    if (isAnswered(answer)) socket.end();
  });
  return new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(answer));
  });
}

interface Begun {
  readonly status: number;
  readonly retryAfter?: string;
}

/** Announces a file without waiting for permission to send it, and sends none of its bytes. @returns the status, and the end */
function announce(url: string, from: Record<string, string>) {
  const { hostname, port, host, pathname, search } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const headers = Object.entries({ ...from, host, 'content-length': String(largest) });
  const lines = [`PUT ${pathname}${search} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const status = new Promise<number>((resolve) => {
    socket.once('data', (chunk) => resolve(Number(chunk.toString('latin1').split(' ')[1])));
  });
  return { status, end: () => socket.destroy() };
}

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, `Host: ${new URL(stack().apiUrl).host}`, ...headers, '', ''].join('\r\n');

/** A complete answer: the end of a chunked body, or the body of /health. */
const isWhole = (answer: string) => answer.endsWith('\r\n0\r\n\r\n') || answer.endsWith('}');

for (const path of ['/health', '/f/nothing', '//f/nothing', '/nowhere']) {
  test(`a request to upgrade the connection at ${path} is answered like every other one`, async () => {
    // Requesting a page first ensures that the framework has been loaded.
    expect((await fetch(`${stack().apiUrl}/f/nothing`)).status).toBe(404);
    const plain = await speak(stack().apiUrl, get(path, 'Connection: close'));
    const upgrading = get(path, 'Connection: Upgrade', 'Upgrade: websocket');
    const upgraded = await speak(stack().apiUrl, upgrading, isWhole);
    const statusOf = (answer: string) => answer.slice(0, answer.indexOf('\r\n'));
    expect(statusOf(upgraded)).toBe(statusOf(plain));
  });
}

test('a client may send 256 requests at once on a connection, and loses it with more', async () => {
  const last = get('/health', 'Connection: close');
  const answersTo = async (count: number) =>
    ((await speak(stack().apiUrl, get('/health').repeat(count - 1) + last)).match(/HTTP\/1\.1 200/g) ?? [])
      .length;
  expect(await answersTo(256)).toBe(256);
  expect(await answersTo(257)).toBeLessThan(257);
});

/**
 * Begins the upload of a file.
 * @returns `{status: 100}` when the server asks for the body; otherwise the status that it answers with, the seconds after
 * which to try again, and the end of the connection
 */
function beginPut(slot: Slot, from: Record<string, string>) {
  const headers = {
    ...slot.uploadHeaders,
    ...from,
    'content-length': String(largest),
    expect: '100-continue',
  };
  const sending = httpRequest(slot.uploadUrl, { method: 'PUT', headers });
  sending.on('error', () => undefined);
  const invited = new Promise<Begun>((resolve) => sending.once('continue', () => resolve({ status: 100 })));
  const answered = new Promise<Begun>((resolve) => {
    sending.once('response', async (answer) => {
      await readText(answer).catch(() => '');
      resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] });
    });
  });
  sending.flushHeaders();
  return { begun: Promise.race([invited, answered]), end: () => sending.destroy() };
}

test('one address may have 30 large files under way, and is told when to send a further one', async () => {
  const file = aFile(largest);
  const slot = await buySlot(await newEvmPayer(), 'base', file);
  const from = fromAnywhere();
  const puts = Array.from({ length: 30 }, () => beginPut(slot, from));
  for (const put of puts) expect(await put.begun).toEqual({ status: 100 });
  const further = beginPut(slot, from);
  expect(await further.begun).toEqual({ status: 503, retryAfter: '2' });
  const others = beginPut(slot, fromAnywhere());
  expect(await others.begun, 'another address').toEqual({ status: 100 });
  for (const { end } of [...puts, further, others]) end();
  const again = async () => {
    const { begun, end } = beginPut(slot, from);
    return begun.finally(end);
  };
  await expect.poll(again, 'after they have ended').toEqual({ status: 100 });
});

test('uploads that are refused take no room from others at their address, and files none from other bodies', async () => {
  const from = fromAnywhere();
  const slot = await buySlot(await newEvmPayer(), 'base', aFile(largest));
  const forged = { ...slot, uploadUrl: `${slot.uploadUrl}0` };
  // These wait for the rest of the body.
  const refused = Array.from({ length: 60 }, () => announce(forged.uploadUrl, from));
  for (const { status } of refused) expect(await status).toBe(403);
  const puts = Array.from({ length: 30 }, () => beginPut(slot, from));
  for (const { begun } of puts) expect(await begun).toEqual({ status: 100 });
  const form = await fetch(`${stack().apiUrl}/v1/forms`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...from },
    body: `{${' '.repeat(100_000)}}`,
  });
  expect(form.status).toBe(402);
  for (const { end } of [...puts, ...refused]) end();
});

test('a download is ended when its client reads nothing of it, whatever it sends', async () => {
  const server = await startServer(stack().serverEnv, { timings: stallingTimings });
  try {
    const file = aFile(largest);
    const pay = payingFetch(await newEvmPayer(), 'base');
    const slot: Slot = await (
      await pay(`${server.apiUrl}/v1/uploads`, { method: 'POST', body: file.body })
    ).json();
    expect((await putFile(slot, file.bytes)).status).toBe(200);
    const underWay = async () => sumOf(await scrape(server.apiUrl), 'tuppence_requests_in_flight');
    // The first request for metrics takes longer than others.
    expect(await underWay()).toBe(1);
    const { hostname, port, host, pathname } = new URL(slot.publicUrl);
    const socket = connect(Number(port), hostname);
    // What it sends after the end has nowhere to go.
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    socket.pause();
    const sending = setInterval(() => socket.write('\r\n'), 500);
    // The request for the metrics counts as one.
    await expect.poll(underWay).toBe(2);
    await expect.poll(underWay).toBe(1);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await closed;
    clearInterval(sending);
    expect(received).toBeLessThan(largest);
  } finally {
    await server.stop();
  }
});
