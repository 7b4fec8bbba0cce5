import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { ExactEvmScheme } from '@x402/evm';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm';
import { Mppx } from 'mppx/client';
import { charge } from 'mppx/evm/client';
import { testNotice } from '@/lib/catalog/test-service';
import { documents } from '@/lib/discovery/documents';
import { evmTestNetworks, solanaClusters } from '@/local/networks';
import { aFile } from '../support/files';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { runOperatorProgram } from '../support/operator-program';
import { startServer, type TestServer } from '../support/server';
import { stack } from '../support/stack';
import { isStartedByNext } from '../support/started-by';
import { startTestChains, type TestChains } from '../support/test-networks';
import { expect, test } from '../support/without-browser';

/** A service with NETWORKS=test, on local chains with the ids of the test networks. */

let chains: TestChains;
let database: NewDatabase;
let server: TestServer;
let env: Record<string, string>;

test.beforeAll(async () => {
  [chains, database] = await Promise.all([startTestChains(), migratedDatabase()]);
  const { serverEnv } = stack();
  env = { ...serverEnv, ...chains.serverEnv, DATABASE_URL: database.url };
  server = await startServer(env);
  // A check that times out on a busy machine is repeated.
  await expect(async () => {
    const { networks } = await (await fetch(`${server.apiUrl}/health/ready`)).json();
    expect(Object.values(networks)).toEqual([true, true, true, true]);
  }).toPass();
});
test.afterAll(async () => {
  await server?.stop();
  await Promise.all([chains?.stop(), database?.drop()]);
});

const upload = () => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: aFile().body,
});

const caip2Of = (chainId: number) => `eip155:${chainId}` as const;
const [, { usdc: amoyUsdc }] = evmTestNetworks;
const devnet = solanaClusters['solana-devnet'];

for (const [name, caip2] of [
  ...evmTestNetworks.map(({ name, chainId }) => [name, caip2Of(chainId)] as const),
  [devnet.name, devnet.caip2] as const,
]) {
  test(`the official x402 client pays on ${name}`, async () => {
    const client = new x402Client((_, accepts) => {
      const wanted = accepts.find(({ network }) => network === caip2);
      if (!wanted) throw new Error(`${name} is not offered`);
      expect(wanted.extra).toMatchObject({ testnet: true });
      return wanted;
    });
    // On the other networks, the client already knows Circle's token.
    client.setSpendControls({ allowedAssets: [{ network: 'eip155:80002', asset: amoyUsdc }] });
    client.register('eip155:*', new ExactEvmScheme(chains.evmPayer));
    client.register('solana:*', new ExactSvmScheme(chains.solanaPayer, { rpcUrl: chains.solanaRpcUrl }));
    const paying = wrapFetchWithPayment(fetch, client);
    const answer = await paying(`${server.apiUrl}/v1/uploads`, upload());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('testnet')).toBe('true');
    const receipt = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '');
    expect(receipt).toMatchObject({ success: true, network: caip2 });
    const status = await fetch(`${server.apiUrl}/v1/paid-calls/${answer.headers.get('paid-call-id')}`);
    expect(await status.json()).toMatchObject({ state: 'delivered', network: name, testnet: true });
  });
}

for (const { name, chainId, usdc } of evmTestNetworks) {
  test(`the official MPP client pays on ${name}`, async () => {
    const domainName = name === 'arbitrum-sepolia' ? 'USD Coin' : 'USDC';
    const client = Mppx.create({
      polyfill: false,
      methods: [
        charge({
          account: chains.evmPayer,
          authorization: { name: domainName, version: '2' },
          currencies: [usdc],
          decimals: 6,
          maxAmount: '1',
          networks: [chainId],
        }),
      ],
    });
    const answer = await client.fetch(`${server.apiUrl}/v1/mpp/uploads?network=${name}`, upload());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('testnet')).toBe('true');
  });
}

test('every answer says in its headers that it is a test, on both origins and when nothing understands the request', async () => {
  const { apiUrl, filesUrl } = server;
  const requests: readonly (readonly [string, RequestInit?])[] = [
    [`${apiUrl}/`],
    [`${apiUrl}/health`],
    [`${apiUrl}/health/ready`],
    ...(isStartedByNext ? [] : [[`${apiUrl}/favicon.svg`] as const]),
    [`${apiUrl}/v1/tools/prices`],
    [`${apiUrl}/v1/uploads`, { method: 'POST' }],
    [`${apiUrl}/v1/mpp/uploads`, { method: 'POST' }],
    [`${apiUrl}/v1/uploads`, { method: 'PUT' }],
    [`${apiUrl}/v1/uploads`, { method: 'OPTIONS' }],
    [`${apiUrl}/v1/nothing`],
    [`${apiUrl}/f/frm_nothing`],
    [`${apiUrl}/deposit/acct_nothing`],
    [`${filesUrl}/robots.txt`],
    [`${filesUrl}/nothing`],
    ...Object.keys(documents).map((path) => [apiUrl + path] as const),
  ];
  for (const [url, init] of requests) {
    const answer = await fetch(url, init);
    await answer.body?.cancel();
    expect(answer.headers.get('testnet'), `${init?.method ?? 'GET'} ${url}`).toBe('true');
  }
  if (isStartedByNext) return;
  const socket = connect(Number(new URL(apiUrl).port), '127.0.0.1');
  socket.end('nonsense\r\n\r\n');
  expect(await text(socket)).toContain('Testnet: true\r\n');
});

test('challenges, prices, documents and pages say that it is a test, and those of a real service do not', async () => {
  const { apiUrl } = server;
  const read = async (base: string, path: string, init?: RequestInit) =>
    (await fetch(base + path, { headers: { Accept: '*/*' }, ...init })).text();
  const account = await (await fetch(`${apiUrl}/v1/accounts`, { method: 'POST' })).json();
  expect(account.token).toMatch(/^tpt_test_/);
  const withNotice = [
    ...[
      '/llms.txt',
      '/openapi.json',
      '/openapi-agents.json',
      '/apis.json',
      '/robots.txt',
      '/docs/uploads.md',
    ],
    ...['/.well-known/mpp.json', '/.well-known/mcp.json', '/', '/docs', '/docs/uploads', '/docs/reference'],
  ];
  for (const path of withNotice) {
    const html = { headers: { Accept: path.includes('.') ? '*/*' : 'text/html' } };
    expect(await read(apiUrl, path, html), path).toContain(testNotice);
    expect(await read(stack().apiUrl, path, html), path).not.toContain(testNotice);
  }
  for (const path of [new URL(account.depositUrl).pathname, '/f/frm_nothing'])
    expect(await read(apiUrl, path), path).toContain(testNotice);
  const check = { method: 'POST', body: JSON.stringify({ operation: 'uploads.create', body: {} }) };
  const withField: readonly (readonly [string, RequestInit?])[] = [
    ['/.well-known/x402'],
    ['/.well-known/x402.json'],
    ['/v1/tools/prices'],
    ['/v1/tools/check', check],
  ];
  for (const [path, init] of withField) {
    expect(JSON.parse(await read(apiUrl, path, init)), path).toHaveProperty('testnet', true);
    expect(JSON.parse(await read(stack().apiUrl, path, init)), path).not.toHaveProperty('testnet');
  }
  const offered = await fetch(`${apiUrl}/v1/mpp/uploads`, { method: 'POST' });
  expect(offered.headers.get('www-authenticate')).toContain(`description="${testNotice}"`);
  const real = await fetch(`${stack().apiUrl}/v1/mpp/uploads`, { method: 'POST' });
  expect(real.headers.get('www-authenticate')).not.toContain('description=');
  expect(real.headers.has('testnet')).toBe(false);
});

test('a database of one kind of networks is refused by servers and programs of the other', async () => {
  const onMain = { ...stack().serverEnv, DATABASE_URL: database.url };
  await expect(startServer(onMain)).rejects.toThrow(
    'This database belongs to test networks, and NETWORKS is main.',
  );
  const onTest = { ...env, DATABASE_URL: stack().databaseUrl };
  await expect(startServer(onTest)).rejects.toThrow(
    'This database belongs to main networks, and NETWORKS is test.',
  );
  const addresses = { PUBLIC_URL: server.apiUrl, FILES_URL: server.filesUrl };
  const audit = await runOperatorProgram({ ...onMain, ...addresses }, 'audit');
  expect(audit.errors).toContain('This database belongs to test networks');
  const doctor = await runOperatorProgram({ ...onMain, ...addresses }, 'doctor', '--only', 'database');
  expect(doctor.output).toContain('NETWORKS: it is main, and the database belongs to test networks\n');
  expect(doctor.exitCode).toBe(1);
});

test('the audit of a test service agrees with its chains', async () => {
  const addresses = { PUBLIC_URL: server.apiUrl, FILES_URL: server.filesUrl };
  const { output, errors } = await runOperatorProgram({ ...env, ...addresses }, 'audit');
  expect(errors).toBe('');
  expect(output).toContain('The ledger and the chains agree.');
});
