import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Challenge, PaymentRequest } from 'mppx';
import { stack } from '../support/stack';
import { byTheFramework, isStartedByNext } from '../support/started-by';
import { expect, test } from '../support/without-browser';

/** Headers that differ between answers by design; `vary` is the framework's own and has no effect with `no-store`. */
const changing = ['date', 'request-id', 'transfer-encoding', 'content-length', 'vary', 'payment-required'];

function steadyHeaders(answer: Response): Record<string, string> {
  const entries = [...answer.headers].filter(([name]) => !changing.includes(name));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name === 'www-authenticate' ? '…' : value]),
  );
}

const routes = [
  ['POST', '/v1/uploads'],
  ['POST', '/v1/uploads/up_1/renew'],
  ['DELETE', '/v1/uploads/up_1'],
  ['POST', '/v1/mpp/uploads'],
  ['POST', '/v1/mpp/uploads/up_1/renew'],
  ['DELETE', '/v1/mpp/uploads/up_1'],
] as const;

for (const [method, path] of routes) {
  test(`${method} ${path} gets the same refusal from the front door and from the route behind it`, async () => {
    const url = `${stack().apiUrl}${path}`;
    const front = await fetch(url, { method });
    // The front door does not read a header with another scheme; the route finds no payment in it.
    const route = await fetch(url, { method, headers: { Authorization: 'Basic nothing' } });
    expect([front.status, route.status]).toEqual([402, 402]);
    expect(steadyHeaders(front)).toEqual(steadyHeaders(route));
    const isMpp = path.startsWith('/v1/mpp');
    const twin = isMpp ? path.replace('/v1/mpp/', '/v1/') : path.replace('/v1/', '/v1/mpp/');
    expect(front.headers.get('link')).toBe(`<${twin}>; rel="alternate"; title="${isMpp ? 'x402' : 'MPP'}"`);
    const constant = (text: string) =>
      text.replaceAll(/"(token|nonce|issuedAt|expirationTime)":"[\w:.-]+"/g, '"$1":"…"');
    expect(constant(await front.text())).toBe(constant(await route.text()));
    if (isMpp) {
      const requests = (answer: Response) =>
        Challenge.fromResponseList(answer).map(({ request, opaque = '' }) => {
          // The salt differs on purpose.
          const { salt, ...rest } = PaymentRequest.deserialize(opaque);
          expect(salt).toMatch(/^[\w-]{16}$/);
          return [request, rest];
        });
      expect(requests(front)).toEqual(requests(route));
    }
  });
}

/** Posts over the agent's connection. If the length is not announced, the body is sent in chunks. */
function post(agent: Agent, path: string, body: Buffer, isAnnounced: boolean): Promise<number | undefined> {
  const headers = isAnnounced ? { 'Content-Length': body.length } : { 'Transfer-Encoding': 'chunked' };
  return new Promise((resolve, reject) => {
    const sent = request(`${stack().apiUrl}${path}`, { method: 'POST', agent, headers, timeout: 10_000 });
    sent.on('response', (answer) => text(answer).then(() => resolve(answer.statusCode), reject));
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', reject);
    sent.end(body);
  });
}

for (const path of ['/v1/uploads', '/v1/mpp/uploads'])
  for (const framing of ['announced', 'chunked'] as const)
    test(`after an unpaid POST ${path} with a body that is too large, ${framing}, its connection serves the next request`, async () => {
      test.skip(isStartedByNext && framing === 'chunked', byTheFramework);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      try {
        for (let round = 0; round < 5; round += 1) {
          expect(await post(agent, path, Buffer.alloc(3_000_000, ' '), framing === 'announced')).toBe(402);
          expect(await post(agent, path, Buffer.from('{}'), true)).toBe(402);
        }
      } finally {
        agent.destroy();
      }
    });
