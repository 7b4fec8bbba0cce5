import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { free, operations } from '@/lib/catalog';
import { paymentProblem, paymentRequired } from '@/lib/discovery/openapi/payment-answers';
import { topUpUsdc } from '@/local/evm/funding';
import { balanceOf } from '../support/balances';
import { aFile } from '../support/files';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer } from '../support/payers';
import { evmNetworkNames, network, stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';

const documentUrl = () => `${stack().apiUrl}/openapi.json`;
const json = { 'Content-Type': 'application/json' };

interface Check {
  label: string;
  detail?: string;
  severity: 'pass' | 'warn' | 'fail' | 'skip' | 'suggested';
}
interface Report {
  discovery: { found: boolean; valid: boolean; checks: Check[] };
  endpoints: {
    method: string;
    path: string;
    challenge: Check[];
    errorHandling: Check[];
    payment: Check[];
  }[];
  summary: { failed: number; warnings: number; passed: number };
}

/** Runs the official command line in its own process, with its own folder and home. */
async function mppx(args: string[], env: Record<string, string> = {}) {
  const home = await mkdtemp(path.join(tmpdir(), 'tuppence-mppx-'));
  const bin = path.resolve('node_modules/mppx/dist/bin.js');
  try {
    return await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const options = {
        cwd: home,
        maxBuffer: 16 * 1024 * 1024,
        // Next's type of ProcessEnv requires NODE_ENV.
        env: {
          PATH: process.env.PATH,
          HOME: home,
          NO_UPDATE_NOTIFIER: '1',
          NODE_ENV: 'test' as const,
          ...env,
        },
      };
      execFile(process.execPath, [bin, ...args], options, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
      });
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function validate(args: string[], env: Record<string, string> = {}): Promise<Report> {
  const { stdout, stderr } = await mppx(['validate', stack().apiUrl, '--output-json', ...args], env);
  expect(stdout, stderr).toContain('"summary"');
  return JSON.parse(stdout.slice(stdout.indexOf('{')));
}

const checksOf = (report: Report): Check[] => [
  ...report.discovery.checks,
  ...report.endpoints.flatMap(({ challenge, errorHandling, payment }) => [
    ...challenge,
    ...errorHandling,
    ...payment,
  ]),
];

test('the official validator finds every MPP path and no problem', fullOnly, async () => {
  const report = await validate([]);
  expect(checksOf(report).filter(({ severity }) => severity === 'fail' || severity === 'warn')).toEqual([]);
  expect(report.discovery).toMatchObject({ found: true, valid: true });
  const sold = operations.flatMap(({ method, paths }) => (paths.mpp ? [`${method} ${paths.mpp}`] : []));
  const seen = report.endpoints.filter(({ challenge }) =>
    challenge.some(({ label, severity }) => label === 'Challenge parseable' && severity === 'pass'),
  );
  expect(seen.map((endpoint) => `${endpoint.method} ${endpoint.path}`).sort()).toEqual(sold.sort());
  for (const { errorHandling } of seen) {
    expect(errorHandling.map(({ label }) => label)).toContain('Malformed credential returns 402');
  }
});

test('the official validator pays for an upload on every network and accepts response and receipt', async () => {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  for (const name of evmNetworkNames) {
    const { rpcUrl, usdc } = network(name);
    await topUpUsdc(rpcUrl, usdc as `0x${string}`, [account.address], 10_000_000n, 10_000_000n);
  }
  const { paths } = await (await fetch(documentUrl())).json();
  const { example } = paths['/v1/mpp/uploads'].post.requestBody.content['application/json'];
  const dir = await mkdtemp(path.join(tmpdir(), 'tuppence-mppx-config-'));
  // The command line knows USDC only on base; this is how its users name other tokens.
  const config = path.join(dir, 'mppx.config.mjs');
  const from = (name: string) => JSON.stringify(pathToFileURL(path.resolve('node_modules', name)).href);
  await writeFile(
    config,
    `import { charge } from ${from('mppx/dist/evm/client/index.js')};
     import { privateKeyToAccount } from ${from('viem/_esm/accounts/index.js')};
     export default { methods: ${JSON.stringify(evmNetworkNames.map(chainOf))}.map(({ chainId, usdc }) => ({
       ...charge({ account: privateKeyToAccount(process.env.PAYER_KEY), authorization: { name: 'USD Coin', version: '2' },
         currencies: [usdc], decimals: 6, maxAmount: '1', networks: [chainId] }),
       canHandleChallenge: ({ challenge }) => challenge.request.methodDetails.chainId === chainId,
     })) };`,
  );
  const args = ['--endpoint', 'POST:/v1/mpp/uploads', '--body', JSON.stringify(example), '--yes'];
  const report = await validate(args, { MPPX_CONFIG: config, PAYER_KEY: key });
  await rm(dir, { recursive: true });
  const checks = checksOf(report);
  expect(checks.filter(({ severity }) => severity !== 'pass' && severity !== 'suggested')).toEqual([]);
  const paid = checks.filter(({ label }) => label === 'Receipt status is "success"');
  expect(paid).toHaveLength(evmNetworkNames.length);
  for (const name of evmNetworkNames) expect(await balanceOf(account, name)).toBe(10_000_000n - 5_000n);
});

function chainOf(name: (typeof evmNetworkNames)[number]) {
  const { caip2, usdc } = network(name);
  return { chainId: Number(caip2.split(':')[1]), usdc };
}

test('mppx discover accepts the document', fullOnly, async () => {
  const { code, stdout, stderr } = await mppx(['discover', 'validate', documentUrl()]);
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).not.toMatch(/warning/i);
});

test('the document can be cached, revalidated and read from any origin', async () => {
  const first = await fetch(documentUrl());
  expect(first.status).toBe(200);
  expect(first.headers.get('content-type')).toBe('application/json');
  expect(first.headers.get('cache-control')).toBe('public, max-age=300');
  expect(first.headers.get('access-control-allow-origin')).toBe('*');
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w-]+"$/);
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await fetch(documentUrl(), { headers: { 'If-None-Match': known } });
    expect([known, again.status, await again.text()]).toEqual([known, 304, '']);
    expect(again.headers.get('etag')).toBe(etag);
    expect(again.headers.get('cache-control')).toBe('public, max-age=300');
  }
  const other = await fetch(documentUrl(), { headers: { 'If-None-Match': '"other"' } });
  expect(other.status).toBe(200);
});

test('llms.txt is at most 19 KB long', async () => {
  const text = await (await fetch(`${stack().apiUrl}/llms.txt`)).text();
  expect(text).toContain('/docs/payments.md');
  expect(Buffer.byteLength(text)).toBeLessThan(19 * 1024);
});

test('HEAD returns the headers of the document without its body', async () => {
  const [get, head] = await Promise.all([fetch(documentUrl()), fetch(documentUrl(), { method: 'HEAD' })]);
  expect(head.status).toBe(200);
  for (const name of ['content-type', 'etag', 'cache-control'])
    expect(head.headers.get(name)).toBe(get.headers.get(name));
  expect(await head.text()).toBe('');
});

test('the 402 of every path matches the document', async () => {
  const { paths } = await (await fetch(documentUrl())).json();
  for (const { method, paths: rails, example } of operations) {
    for (const [rail, template] of Object.entries(rails)) {
      // A request without an account token is asked for the token, not for money.
      if (rail === 'account') continue;
      const filled = template.replaceAll(/\{(\w+)\}/g, (_, name) => String(example.params[name as never]));
      const answer = await fetch(stack().apiUrl + filled, { method, headers: json });
      expect(answer.status).toBe(402);
      const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const body = await answer.json();
      // A longer PUBLIC_URL must fit, too.
      expect(headers.length, template).toBeLessThan(8 * 1024 - 100);
      const schema = rail === 'mpp' ? paymentProblem : paymentRequired;
      expect(schema.safeParse(body).error, template).toBeUndefined();
      const { $ref } = paths[template][method.toLowerCase()].responses[402];
      expect($ref).toBe(`#/components/responses/${rail}`);
    }
  }
});

test('the headers about the source are documented on operations with providers', async () => {
  const { paths } = await (await fetch(documentUrl())).json();
  for (const { method, paths: rails, providers } of operations) {
    for (const template of Object.values(rails)) {
      const { headers } = paths[template][method.toLowerCase()].responses[200];
      for (const name of ['Source', 'Sandbox'])
        expect(name in headers, template).toBe(providers !== undefined);
    }
  }
});

test('free calls behave as documented', async () => {
  const get = async (path: string) => (await fetch(stack().apiUrl + path)).json();
  expect(free.prices.output.safeParse(await get('/v1/tools/prices')).error).toBeUndefined();
  expect(free.health.output.safeParse(await get('/health')).error).toBeUndefined();
  const client = mppClient(await newEvmPayer(10_000n, ['base']), 'base');
  const bought = await client.fetch(`${stack().apiUrl}/v1/mpp/uploads`, {
    method: 'POST',
    headers: json,
    body: aFile().body,
  });
  const paidCall = await get(`/v1/paid-calls/${bought.headers.get('paid-call-id')}`);
  expect(free.paidCall.output.safeParse(paidCall).error).toBeUndefined();
});
