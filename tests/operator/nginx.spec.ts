import { request as httpsRequest } from 'node:https';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { Client } from 'pg';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { topUpGas } from '@/local/evm/funding';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { migratedDatabase } from '../support/new-database';
import { isNginxMissing, makeCareless, type Nginx, startNginx } from '../support/nginx';
import { runOperatorProgram } from '../support/operator-program';
import { newEvmPayer } from '../support/payers';
import { startServer, type TestServer } from '../support/server';
import { network, stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

test.skip(isNginxMissing() !== false, isNginxMissing() || '');

/** Settings of a server behind nginx at one of its ports. */
const behind = (nginx: Nginx, settings: Record<string, string> = {}) => ({
  ...stack().serverEnv,
  PUBLIC_URL: nginx.apiUrl,
  FILES_URL: nginx.filesUrl,
  TRUSTED_PROXIES: '1',
  ...settings,
});

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
}

/** A request through nginx, whose certificate is its own. */
function ask(url: string, method: string, headers: Record<string, string> = {}, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(url, { method, headers, rejectUnauthorized: false }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }));
    });
    request.once('error', reject);
    request.end(body);
  });
}

/** What doctor prints about the addresses, as it runs on a machine that trusts the certificate. */
async function doctor(nginx: Nginx, env: Record<string, string>) {
  const settings = { ...env, NODE_EXTRA_CA_CERTS: nginx.certificate };
  const { output } = await runOperatorProgram(settings, 'doctor', '--only', 'addresses');
  return output;
}

test.describe('behind deploy/nginx.conf', () => {
  let nginx: Nginx;
  let server: TestServer;

  test.beforeAll(async () => {
    nginx = await startNginx();
    // Only the second port has a server, as after an upgrade.
    server = await startServer(behind(nginx, { RATE_LIMIT_FACTOR: '1' }), { port: nginx.ports[1] });
  });
  test.afterAll(async () => {
    await server?.stop();
    await nginx?.close();
  });

  test('a 402 arrives with its whole challenge, and payments reach the server in headers', async () => {
    for (const path of ['/v1/uploads', '/v1/forms', '/v1/render/pdf', '/v1/airports/search']) {
      const { status, headers } = await ask(`${nginx.apiUrl}${path}`, 'POST');
      expect(status, path).toBe(402);
      const { accepts, resource } = decodePaymentRequiredHeader(String(headers['payment-required']));
      expect(accepts.length, path).toBeGreaterThan(2);
      expect(resource.url).toBe(`${nginx.apiUrl}${path}`);
    }
    const mpp = await ask(`${nginx.apiUrl}/v1/mpp/uploads`, 'POST');
    expect([mpp.status, String(mpp.headers['www-authenticate'])]).toEqual([
      402,
      expect.stringMatching(/^Payment .*"$/),
    ]);
    const long = await ask(`${nginx.apiUrl}/health`, 'GET', { 'X-Long': 'x'.repeat(24 * 1024) });
    expect(long.status).toBe(200);
  });

  test('files of 10 MiB reach the server, and what is for the operator does not', async () => {
    const file = await ask(`${nginx.filesUrl}/nowhere`, 'PUT', {}, 'x'.repeat(10 * 1024 * 1024));
    expect([file.status, file.headers['request-id']]).toEqual([404, expect.stringMatching(/^req_/)]);
    for (const path of ['/metrics', '/%6detrics', '//metrics', '/internal/cron', '/metrics/'])
      for (const host of [nginx.apiUrl, nginx.filesUrl]) {
        const { status, headers } = await ask(`${host}${path}`, 'GET');
        expect([path, status, headers['request-id']]).toEqual([path, 404, undefined]);
      }
  });

  test('doctor finds nothing wrong with it', async () => {
    const output = await doctor(nginx, behind(nginx));
    for (const line of [
      'ok       PUBLIC_URL: the server responds there, and its challenges arrive whole',
      'ok       FILES_URL: the server responds there',
      'ok       /metrics: it cannot be reached at PUBLIC_URL',
      'ok       TRUSTED_PROXIES: an address that a client invents is not believed',
    ])
      expect(output).toContain(`${line}\n`);
    expect(output).toMatch(/ 0 warnings, 0 failed, 0 skipped\n$/);
  });
});

test('doctor names each thing that a proxy gets wrong, and what to set', async () => {
  // A challenge is longer than the buffer, as all are with more networks.
  const nginx = await startNginx({ change: (text) => makeCareless(text, '2k') });
  const server = await startServer(behind(nginx, { RATE_LIMIT_FACTOR: '1' }), { port: nginx.ports[0] });
  try {
    const output = await doctor(nginx, behind(nginx));
    expect(output).toMatch(
      /failed {3}PUBLIC_URL: the proxy answers an unpaid call of \/v1\/\S+ with 502, so nobody can pay\n {9}Let the proxy pass on .*proxy_busy_buffers_size/,
    );
    expect(output).toMatch(
      /failed {3}PUBLIC_URL: a request with a header of 24 KB gets \d+, .*\n.*large_client_header_buffers/,
    );
    expect(output).toMatch(
      /failed {3}FILES_URL: an upload of 10 MiB is refused by the proxy with 413\n.*client_max_body_size 12m/,
    );
    expect(output).toMatch(/warning {2}\/metrics: it can be reached at PUBLIC_URL/);
    expect(output).toMatch(
      /warning {2}TRUSTED_PROXIES: it is 1, and the server believes an address that a client invents/,
    );
  } finally {
    await server.stop();
    await nginx.close();
  }
});

test('doctor says when the proxy does not pass the host on, so that the API answers for files', async () => {
  const nginx = await startNginx({ change: (text) => text.replace('Host $http_host', 'Host localhost') });
  const server = await startServer(behind(nginx), { port: nginx.ports[0] });
  try {
    expect(await doctor(nginx, behind(nginx))).toMatch(
      /failed {3}FILES_URL: the API answers there instead of the files.*\n {9}Let the proxy pass on the Host header/,
    );
  } finally {
    await server.stop();
    await nginx.close();
  }
});

test('an upgrade on the second port delivers every call that buyers pay for meanwhile', async () => {
  test.setTimeout(300_000);
  const [nginx, database] = [await startNginx({ isEncrypted: false }), await migratedDatabase()];
  const key = generatePrivateKey();
  await topUpGas(network('base').rpcUrl, privateKeyToAddress(key), 10n ** 20n);
  const env = behind(nginx, {
    DATABASE_URL: database.url,
    SETTLEMENT_KEYS_EVM: key,
    RATE_LIMIT_FACTOR: '1000',
  });
  const sold: string[] = [];
  const others: string[] = [];
  let isOver = false;
  const url = `${nginx.apiUrl}/v1/airports/search`;
  /** Pays once for each call, and sends the identical request again when the server says so. */
  const buy = async () => {
    const wallet = await newEvmPayer(10_000_000n, ['base']);
    while (!isOver) {
      const headers = {
        'Content-Type': 'application/json',
        ...paymentHeader(await envelopeFor(url, wallet, 'base')),
      };
      for (let isPaid = false; !isPaid; ) {
        const answer = await fetch(url, {
          method: 'POST',
          headers,
          body: JSON.stringify({ query: 'tokyo' }),
        });
        isPaid = answer.status === 200;
        if (isPaid) sold.push(answer.headers.get('paid-call-id') ?? '');
        // With one key, a settlement may change servers while its buyer waits. Never a 502, which comes from nginx alone.
        else if (answer.status !== 503) others.push(`${answer.status} ${await answer.text()}`);
        if (others.length > 0) return;
      }
    }
  };
  const untilSold = (count: number) =>
    expect.poll(() => sold.length, { timeout: 120_000 }).toBeGreaterThanOrEqual(count);
  const old = await startServer(env, { port: nginx.ports[0] });
  let upgraded: TestServer | undefined;
  try {
    const buyers = [buy(), buy(), buy()];
    await untilSold(5);
    upgraded = await startServer(env, { port: nginx.ports[1] });
    await untilSold(sold.length + 5);
    await old.stop();
    expect(old.output()).toContain('"msg":"stopped"');
    await untilSold(sold.length + 5);
    isOver = true;
    await Promise.all(buyers);
    expect(others).toEqual([]);
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ id: string; state: string }>('SELECT id, state FROM paid_call');
    await client.end();
    expect(rows.filter(({ state }) => state !== 'delivered')).toEqual([]);
    expect(rows.map(({ id }) => id).toSorted()).toEqual(sold.toSorted());
  } finally {
    isOver = true;
    await old.kill();
    await upgraded?.stop();
    await nginx.close();
    await database.drop();
  }
});
