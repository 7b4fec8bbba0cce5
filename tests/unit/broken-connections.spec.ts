import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { openDatabase } from '@/lib/platform/database/database';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

/** A message in PostgreSQL's protocol: a letter, the length, the content. */
function message(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(type), length, content]);
}

const welcome = [message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))];
const fields = ['SFATAL', 'C57P01', 'Mterminating connection due to administrator command', ''];
const farewell = message('E', Buffer.from(fields.map((field) => `${field}\0`).join('')));

test('a connection that the database ends in the moment it opens fails its statement and not the process', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    // In one packet, so that both messages are read at once.
    socket.once('data', () => socket.write(Buffer.concat([...welcome, farewell])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const platform = testPlatform({ DATABASE_URL: `postgresql://tuppence@127.0.0.1:${port}/tuppence` });
  const { pool, statements, statementPool } = openDatabase(platform);
  await expect(statements.query('SELECT 1', [])).rejects.toThrow();
  await expect(pool.query('SELECT 1')).rejects.toThrow();
  const ended = Promise.all([pool.end(), statementPool.end()]);
  for (const socket of sockets) socket.destroy();
  await ended;
  server.close();
});
