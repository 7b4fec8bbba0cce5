import { Agent, createServer, get, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startServer } from '../support/server';
import { stack } from '../support/stack';
import { byTheFramework, isStartedByNext } from '../support/started-by';
import { uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly isInvited: boolean;
}

/** A plain HTTP request; with `expect`, the body waits until the server asks for it. */
function send(url: string, method: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let isInvited = false;
    const request = httpRequest(url, { method, headers }, (answer) => {
      let body = '';
      answer.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body, isInvited }));
    });
    request.on('continue', () => {
      isInvited = true;
      request.end('{}');
    });
    request.on('error', reject);
    if (headers.Expect) request.flushHeaders();
    else request.end();
  });
}

test('a client that sends Expect: 100-continue gets 100 Continue', async () => {
  const headers = { Expect: '100-continue', 'Content-Length': '2', 'X-PAYMENT': 'e30=' };
  const answer = await send(uploadsUrl(), 'POST', headers);
  expect([answer.status, answer.isInvited]).toEqual([402, true]);
});

test('a path with a broken escape gets an error in our format', async () => {
  test.skip(isStartedByNext, byTheFramework);
  const answer = await send(`${uploadsUrl()}/%ff`, 'DELETE', { 'X-PAYMENT': 'e30=' });
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body).error.code).toBe('malformed_request');
});

test('a long User-Agent does not hold up a page', async () => {
  test.skip(isStartedByNext, byTheFramework);
  const url = `${stack().apiUrl}/receipts`;
  await send(url, 'GET');
  const beganAt = performance.now();
  const answer = await send(url, 'GET', { 'User-Agent': 'a'.repeat(28_000) });
  expect(answer.status).toBe(200);
  // Its bots are searched for in seconds.
  expect(performance.now() - beganAt).toBeLessThan(1_500);
});

test('a query with thousands of parameters is malformed', async () => {
  test.skip(isStartedByNext, byTheFramework);
  const answer = await send(`${stack().apiUrl}/receipts?${'a=1&'.repeat(7_000)}`, 'GET');
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body).error.code).toBe('malformed_request');
});

test('TRACE is not allowed anywhere', async () => {
  test.skip(isStartedByNext, byTheFramework);
  const answer = await send(`${stack().apiUrl}/health`, 'TRACE');
  expect(answer.status).toBe(405);
  expect(JSON.parse(answer.body).error.code).toBe('method_not_allowed');
});

test('a server that is told to stop ends after the last response, without waiting for more requests', async () => {
  const server = await startServer(stack().serverEnv);
  // The connection stays open after its answer, because clients keep it alive.
  expect((await fetch(`${server.apiUrl}/health`)).status).toBe(200);
  await server.stop();
  expect(server.output()).not.toContain('stopped with requests under way');
});

test('a request that a proxy sends on a kept connection to a stopping server is answered, and ends the connection', async () => {
  test.skip(isStartedByNext, 'the framework closes its connections itself');
  const server = await startServer(stack().serverEnv);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = () =>
    new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
      const sent = get(`${server.apiUrl}/health`, { agent }, (answer) => {
        answer.resume();
        answer.once('end', () =>
          resolve({ status: answer.statusCode, connection: answer.headers.connection }),
        );
      });
      sent.once('error', reject);
    });
  try {
    expect(await ask()).toEqual({ status: 200, connection: 'keep-alive' });
    const stopped = server.stop();
    // Its port is closed, so a proxy sends new requests elsewhere. One on a kept connection may be on its way.
    await expect
      .poll(() =>
        fetch(`${server.apiUrl}/health`).then(
          ({ status }) => status,
          () => 'refused',
        ),
      )
      .toBe('refused');
    expect(await ask()).toEqual({ status: 200, connection: 'close' });
    await stopped;
  } finally {
    agent.destroy();
    await server.kill();
  }
});

test('the log of a server in production is JSON from the first line to the last, with one line for its start and its stop', async () => {
  test.skip(isStartedByNext, 'the framework prints lines of its own');
  const server = await startServer({ ...stack().serverEnv, POLYGON_RPC: 'http://127.0.0.1:1' });
  await server.stop();
  const lines = server
    .output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; level: number; name?: string; similar?: string });
  for (const msg of ['listening', 'stopped'])
    expect(
      lines.filter((line) => line.msg === msg),
      msg,
    ).toHaveLength(1);
  expect(lines.at(-1)?.msg).toBe('stopped');
  expect(lines.find(({ name }) => name === 'POLYGON_RPC')).toMatchObject({
    level: 40,
    similar: 'POLYGON_RPC_URL',
    msg: 'an environment variable looks like a setting and has no effect',
  });
  expect(server.output()).not.toContain('127.0.0.1:1"');
});

test('a server ends with an error if another program has its port', async () => {
  const another = createServer((_, answer) => answer.end('ok'));
  await new Promise<void>((resolve) => another.listen(0, '127.0.0.1', resolve));
  const { port } = another.address() as AddressInfo;
  await expect(startServer(stack().serverEnv, { port })).rejects.toThrow('EADDRINUSE');
  await new Promise((resolve) => another.close(resolve));
});
