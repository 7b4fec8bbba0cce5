import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { handleClientError } from '@/lib/http/server/client-error';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

/** The real server allows a request five minutes, too long for a test; this one allows only a moment. */
test('a request that does not end in time gets an error in our format, and its connection is closed', async () => {
  const server = createServer({ requestTimeout: 200, headersTimeout: 200, connectionsCheckingInterval: 50 });
  server.on('clientError', (error, socket) => handleClientError(testPlatform(), error, socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST /v1/uploads HTTP/1.1\r\nHost: a\r\n');
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 408 /);
  expect(JSON.parse(body).error).toMatchObject({ code: 'request_timeout', payment: 'none' });
  server.close();
});
