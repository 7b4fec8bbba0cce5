import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { checkPublicAddresses } from '@/lib/operator/doctor/public-addresses';
import type { OperatorApp } from '@/lib/operator/operator-app';
import { isNginxMissing, makeCareless, type Nginx, startNginx } from '../support/nginx';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

test.skip(isNginxMissing() !== false, isNginxMissing() || '');

// The certificate of these proxies is their own.
test.beforeAll(() => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
});
test.afterAll(() => {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
});

const challenge = Buffer.from(JSON.stringify({ accepts: ['x'.repeat(4_000)] })).toString('base64');

/** Answers as a server does that has one trusted proxy, as far as headers are concerned. */
function answering(filesUrl: string) {
  const counts = new Map<string, number>();
  return (req: IncomingMessage, res: ServerResponse) => {
    res.setHeader('Request-Id', 'req_1');
    if (req.headers.host === new URL(filesUrl).host) return res.writeHead(404).end();
    if (req.url === '/health') return res.writeHead(200).end();
    if (req.url === '/metrics' || req.url === '/internal/cron') return res.writeHead(401).end();
    if (req.method === 'POST')
      return res
        .writeHead(402, { 'PAYMENT-REQUIRED': challenge, 'WWW-Authenticate': 'Payment id="x", opaque="x"' })
        .end();
    const client = String(req.headers['x-forwarded-for']).split(',').at(-1)?.trim() ?? '';
    counts.set(client, (counts.get(client) ?? 0) + 1);
    return res.writeHead(200, { RateLimit: `"free-calls";r=${200 - (counts.get(client) ?? 0)};t=10` }).end();
  };
}

interface Behind {
  readonly nginx: Nginx;
  /** What doctor says about the addresses. */
  examine(): Promise<string[]>;
}

/** Runs something with a server behind nginx, at the second of its ports: nothing listens at the first. */
async function withServer(
  change: (text: string) => string,
  run: (behind: Behind) => Promise<void>,
): Promise<void> {
  const nginx = await startNginx({ change });
  const server = createServer({ maxHeaderSize: 32 * 1024 }, answering(nginx.filesUrl));
  await new Promise<void>((resolve) => server.listen(nginx.ports[1], '127.0.0.1', resolve));
  const app = testPlatform({ PUBLIC_URL: nginx.apiUrl, FILES_URL: nginx.filesUrl, TRUSTED_PROXIES: '1' });
  const examine = async () =>
    // It asks over HTTP, and of the app it needs no more than this.
    (await checkPublicAddresses(app as OperatorApp)).map(
      ({ about, status, message }) => `${status} ${about}: ${message}`,
    );
  try {
    await run({ nginx, examine });
  } finally {
    server.closeAllConnections();
    server.close();
    await nginx.close();
  }
}

test('nginx with deploy/nginx.conf passes a 402 on with its whole challenge, and hides what is for the operator', async () => {
  await withServer(
    (text) => text,
    async ({ nginx, examine }) => {
      const answer = await fetch(`${nginx.apiUrl}/v1/uploads`, { method: 'POST' });
      expect([answer.status, answer.headers.get('payment-required')]).toEqual([402, challenge]);
      for (const path of ['/metrics', '/metrics/', '/%6detrics', '//metrics', '/internal/cron']) {
        const hidden = await fetch(`${nginx.apiUrl}${path}`);
        expect([path, hidden.status, hidden.headers.get('request-id')]).toEqual([path, 404, null]);
      }
      expect(await examine()).toEqual([
        'ok PUBLIC_URL: the server responds there, and its challenges arrive whole',
        'ok /metrics: it cannot be reached at PUBLIC_URL',
        'ok /internal/cron: it cannot be reached at PUBLIC_URL',
        'ok TRUSTED_PROXIES: an address that a client invents is not believed',
        'ok FILES_URL: the server responds there',
      ]);
    },
  );
});

test('doctor names each thing that a proxy gets wrong', async () => {
  // The buffer is the default of some machines, whose memory has pages of 4 KB.
  const careless = (text: string) => makeCareless(text, '4k');
  await withServer(careless, async ({ examine }) => {
    const found = await examine();
    const challengeOf = (path: string) =>
      `failed PUBLIC_URL: the proxy answers an unpaid call of ${path} with 502, so nobody can pay`;
    expect(found).toEqual([
      challengeOf('/v1/uploads'),
      challengeOf('/v1/mpp/uploads'),
      expect.stringMatching(/^failed PUBLIC_URL: a request with a header of 24 KB gets 4\d\d, /),
      expect.stringMatching(/^warning \/metrics: it can be reached at PUBLIC_URL/),
      expect.stringMatching(/^warning \/internal\/cron: it can be reached at PUBLIC_URL/),
      expect.stringMatching(
        /^warning TRUSTED_PROXIES: it is 1, and the server believes an address that a client invents/,
      ),
      expect.stringMatching(/^failed FILES_URL: an upload of 10 MiB is refused by the proxy with 413/),
    ]);
  });
});

test('doctor says when a proxy does not pass the host on, so that the API answers for files', async () => {
  await withServer(
    (text) => text.replace('Host $http_host', 'Host localhost'),
    async ({ examine }) => {
      expect(await examine()).toContainEqual(
        expect.stringMatching(/^failed FILES_URL: the API answers there instead of the files/),
      );
    },
  );
});
