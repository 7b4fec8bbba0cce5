import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Acceptors } from '@/lib/http/server/acceptors';
import { systemClock } from '@/lib/platform/clock';
import { expect, test } from '../support/without-browser';

const clients = 300;

/** Opens connections at once, and says after each request that no more will follow, as HTTP allows. */
const connectAtOnce = `
const [port, count] = process.argv.slice(1).map(Number);
let answered = 0;
for (let index = 0; index < count; index += 1) {
  const socket = require('node:net').connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.end('GET / HTTP/1.1\\r\\nHost: a.example\\r\\nConnection: close\\r\\n\\r\\n');
  socket.on('data', (data) => { text += data; });
  socket.on('end', () => {
    if (!text.startsWith('HTTP/1.1 204')) process.exit(1);
    answered += 1;
    if (answered === count) process.exit(0);
  });
  socket.on('error', () => process.exit(1));
}`;

test('a busy server takes several connections in each turn of its event loop, and none after it is closed', async () => {
  const server = http.createServer((_req, res) => res.writeHead(204).end());
  const acceptors = new Acceptors(systemClock, server);
  server.listen({ port: 0, host: '127.0.0.1', backlog: clients });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const connecting = spawn(process.execPath, ['--eval', connectAtOnce, String(port), String(clients)], {
    stdio: 'ignore',
  });
  const exit = once(connecting, 'exit');
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  let turns = 0;
  while (connections < clients && connecting.exitCode === null) {
    await nextTurn();
    // As long as a turn of a busy server. Only those count in which connections could come.
    const until = performance.now() + 10;
    while (performance.now() < until);
    if (connections > 0) turns += 1;
  }
  expect((await exit)[0]).toBe(0);
  expect(connections).toBe(clients);
  expect(turns).toBeLessThan(clients / 2);

  await acceptors.close();
  const refused = http.get({ port, host: '127.0.0.1' });
  const [error] = await once(refused, 'error');
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
});
