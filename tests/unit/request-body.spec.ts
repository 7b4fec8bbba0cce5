import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { readBytes } from '@/lib/http/body';
import { bodyOf } from '@/lib/http/server/api-request';
import { expect, test } from '../support/without-browser';

/** Sends a body in chunks to a server that reads it. Returns what the server read or why it could not read it. */
async function send(
  chunks: readonly string[],
  read: (req: IncomingMessage) => Promise<string>,
  { isCutOff = false } = {},
): Promise<{ read: string; answered: string | null }> {
  let finish: (result: string) => void = () => undefined;
  const finished = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const server = createServer(async (req, res) => {
    const reading = read(req);
    if (isCutOff) req.once('data', () => client.destroy());
    const result = await reading.catch((error: Error) => `failed: ${error.message}`);
    res.end(result);
    finish(result);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = request({ port, host: '127.0.0.1', method: 'POST' });
  const answered = new Promise<string | null>((resolve) => {
    client.on('response', (response) => resolve(text(response)));
    client.on('error', () => resolve(null));
  });
  for (const chunk of chunks) client.write(chunk);
  if (!isCutOff) client.end();
  const result = { read: await finished, answered: await answered };
  server.close();
  server.closeAllConnections();
  return result;
}

const readUpTo = (bytesMax: number) => async (req: IncomingMessage) =>
  Buffer.from(await readBytes({ headers: new Headers(), body: bodyOf(req) }, bytesMax)).toString();

test('the chunks of a body are read in order', async () => {
  expect(await send(['one, ', 'two, ', 'three'], readUpTo(100))).toEqual({
    read: 'one, two, three',
    answered: 'one, two, three',
  });
});

test('a client waits while the reader of its body does something else, and nothing is lost', async () => {
  const body = 'x'.repeat(30_000_000);
  const { read } = await send([body], async (req) => {
    const paused = new Promise((resolve) => req.once('pause', resolve));
    const chunks = bodyOf(req)[Symbol.asyncIterator]();
    const first = await chunks.next();
    await paused;
    let length = first.done ? 0 : first.value.length;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) length += next.value.length;
    return String(length);
  });
  expect(read).toBe(String(body.length));
});

test('a client whose body is too large gets its response', async () => {
  const { answered } = await send(['x'.repeat(200_000), 'y'.repeat(200_000)], readUpTo(1_000));
  expect(answered).toMatch(/^failed: /);
});

test('a body that is cut off is an error', async () => {
  const { read } = await send(['half'], readUpTo(100), { isCutOff: true });
  expect(read).toMatch(/^failed: /);
});
