import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { expect, test } from '@playwright/test';
import { fromAnywhere } from '../support/accounts';
import { payingFetch } from '../support/buyer';
import { aFile } from '../support/files';
import { scrape, sumOf } from '../support/metrics';
import { newEvmPayer } from '../support/payers';
import { startServer } from '../support/server';
import { stack } from '../support/stack';
import { stallingTimings } from '../support/timings';
import { buySlot, putFile, type Slot } from '../support/uploads';

// What one client can keep of a server without paying for it: requests, bodies and downloads.

const largest = 10 * 1024 * 1024;

/**
 * Sends text on a connection of its own.
 * @param isAnswered whether this is the whole answer: then the client ends its side
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

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, `Host: ${new URL(stack().apiUrl).host}`, ...headers, '', ''].join('\r\n');

/** The end of a body in chunks, or the body of /health. */
const isWhole = (answer: string) => answer.endsWith('\r\n0\r\n\r\n') || answer.endsWith('}');

for (const path of ['/health', '/f/nothing', '//f/nothing', '/nowhere']) {
  test(`a request to upgrade the connection at ${path} is answered like every other one`, async () => {
    // A page has loaded the framework.
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
  expect(await answersTo(1_000)).toBeLessThan(1_000);
});

/** Begins the upload of a file. @returns 100 when the server asks for it, or the status that it answers instead, and its end */
function beginPut(slot: Slot, from: Record<string, string>) {
  const headers = {
    ...slot.uploadHeaders,
    ...from,
    'content-length': String(largest),
    expect: '100-continue',
  };
  const sending = httpRequest(slot.uploadUrl, { method: 'PUT', headers });
  sending.on('error', () => undefined);
  const invited = new Promise<number>((resolve) => sending.once('continue', () => resolve(100)));
  const answered = new Promise<number>((resolve) => {
    sending.once('response', async (answer) => {
      await readText(answer).catch(() => '');
      resolve(answer.statusCode ?? 0);
    });
  });
  sending.flushHeaders();
  return { status: Promise.race([invited, answered]), end: () => sending.destroy() };
}

test('one address may have 30 large files under way, and is told when to send a further one', async () => {
  const file = aFile(largest);
  const slot = await buySlot(await newEvmPayer(), 'base', file);
  const from = fromAnywhere();
  const begun = Array.from({ length: 30 }, () => beginPut(slot, from));
  for (const { status } of begun) expect(await status).toBe(100);
  const further = beginPut(slot, from);
  expect(await further.status).toBe(503);
  const others = beginPut(slot, fromAnywhere());
  expect(await others.status, 'another address').toBe(100);
  for (const { end } of [...begun, further, others]) end();
  const again = async () => {
    const { status, end } = beginPut(slot, from);
    return status.finally(end);
  };
  await expect.poll(again, 'after they have ended').toBe(100);
});

test('a download of which nothing is taken is ended', async () => {
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
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    socket.pause();
    // The request for the metrics is one of them.
    await expect.poll(underWay).toBe(2);
    await expect.poll(underWay).toBe(1);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.on('error', () => undefined);
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received).toBeLessThan(largest);
  } finally {
    await server.stop();
  }
});
