import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { Keypair } from '@solana/web3.js';
import { Client } from 'pg';
import { checkDatabase } from '@/lib/operator/doctor/database';
import type { Finding } from '@/lib/operator/doctor/finding';
import { parseSettings } from '@/lib/platform/settings';
import { findFreePort } from '@/local/free-port';
import { emptyDatabase, migratedDatabase } from '../support/new-database';
import { runOperatorProgram } from '../support/operator-program';
import { network, stack } from '../support/stack';

/** Settings; undefined leaves one out. */
type Env = Record<string, string | undefined>;

const wellEnv = (): Env => ({
  ...stack().serverEnv,
  PUBLIC_URL: stack().apiUrl,
  FILES_URL: stack().filesUrl,
});

const doctor = (env: Env, ...args: string[]) => runOperatorProgram(env, 'doctor', ...args);

const findingsIn = (output: string) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Finding);

test('doctor finds nothing wrong with a server that works, and prints no secret', async () => {
  const env = wellEnv();
  const { exitCode, output, errors } = await doctor(env);
  expect(errors).toBe('');
  expect(output).toMatch(/^ok {7}settings: /);
  for (const part of ['database', 'clock', 'migrations', 'base', 'polygon', 'arbitrum', 'solana-mainnet'])
    expect(output).toContain(`ok       ${part}: `);
  for (const part of ['STORAGE=disk', 'renderer', 'PUBLIC_URL', 'FILES_URL'])
    expect(output).toContain(`ok       ${part}: `);
  expect(output).not.toContain('RPC_URL');
  // The tests' providers are sandboxes.
  expect(output).toMatch(/warning {2}DUFFEL_API_KEY: .*\n {9}Set DUFFEL_API_KEY to a live key\./);
  expect(output).toMatch(/\n\d+ ok, \d+ warnings, 0 failed, \d+ skipped\n$/);
  expect(exitCode).toBe(0);
  const secrets = Object.entries(env).filter(([name]) => /KEY|SECRET|TOKEN/.test(name));
  for (const [name, secret = ''] of secrets) expect(output.includes(secret), name).toBe(false);
});

interface BrokenSetUp {
  readonly what: string;
  readonly part: string;
  readonly env: () => Env | Promise<Env>;
  readonly about: string;
  readonly status?: Finding['status'];
  readonly message: RegExp;
  readonly advice: RegExp;
}

const nowhere = async () => `127.0.0.1:${await findFreePort()}`;

const brokenSetUps: readonly BrokenSetUp[] = [
  {
    what: 'no database at its address',
    part: 'database',
    env: async () => ({ DATABASE_URL: `postgresql://user:pass@${await nowhere()}/db` }),
    about: 'database',
    message: /ECONNREFUSED/,
    advice: /Check that PostgreSQL runs/,
  },
  {
    what: 'a database that nobody has created',
    part: 'database',
    env: () => ({ DATABASE_URL: stack().databaseUrl.replace(/\/[^/]*$/, '/nobody_made_it') }),
    about: 'database',
    message: /does not exist/,
    advice: /Create the database/,
  },
  {
    what: 'more connections than the database allows',
    part: 'database',
    env: () => ({ DATABASE_POOL: '500', PROCESSES: '64' }),
    about: 'DATABASE_POOL',
    status: 'warning',
    message: /may open 32000 connections/,
    advice: /Lower DATABASE_POOL/,
  },
  {
    what: 'an RPC of another chain',
    part: 'networks',
    env: () => ({ BASE_RPC_URL: network('polygon').rpcUrl }),
    about: 'base',
    message: /serves chain 137, not 8453/,
    advice: /Set BASE_RPC_URL/,
  },
  {
    what: 'an RPC that does not respond',
    part: 'networks',
    env: async () => ({ POLYGON_RPC_URL: `http://${await nowhere()}` }),
    about: 'polygon',
    message: /./,
    advice: /Check that the RPCs in POLYGON_RPC_URL respond/,
  },
  {
    what: 'a second RPC that does not respond',
    part: 'networks',
    env: async () => ({ BASE_RPC_URL: `${network('base').rpcUrl},http://${await nowhere()}` }),
    about: 'BASE_RPC_URL',
    status: 'warning',
    message: /^RPC 2 of 2 does not respond/,
    advice: /Correct or remove its URL/,
  },
  {
    what: 'a token that is not USDC',
    part: 'networks',
    env: () => ({ ARBITRUM_USDC: `0x${'5'.repeat(40)}` }),
    about: 'arbitrum',
    message: /does not report the EIP-712 domain/,
    advice: /Remove ARBITRUM_USDC/,
  },
  {
    what: 'a settlement key without money for gas',
    part: 'networks',
    env: () => ({ SETTLEMENT_KEYS_EVM: `0x${randomBytes(32).toString('hex')}` }),
    about: 'base',
    message: /holds 0 of gas money/,
    advice: /Send it money for gas on base/,
  },
  {
    what: 'no key for Solana',
    part: 'networks',
    env: () => ({ SETTLEMENT_KEY_SOLANA: undefined }),
    about: 'solana-mainnet',
    message: /no settlement key and no facilitator/,
    advice: /SETTLEMENT_KEY_SOLANA/,
  },
  {
    what: 'a payee without a token account',
    part: 'networks',
    env: () => ({ PAY_TO_SOLANA: Keypair.generate().publicKey.toBase58() }),
    about: 'solana-mainnet',
    message: /the payee has no USDC account/,
    advice: /Create the USDC token account of PAY_TO_SOLANA/,
  },
  {
    what: 'a folder for files that is a file',
    part: 'store',
    env: async () => {
      const file = test.info().outputPath('file');
      await writeFile(file, '');
      return { STORAGE_DIR: path.join(file, 'files') };
    },
    about: 'STORAGE=disk',
    message: /it cannot write an object/,
    advice: /permission to write in STORAGE_DIR/,
  },
  {
    what: 'no browser',
    part: 'renderer',
    env: () => ({ CHROMIUM_PATH: '/nowhere/chromium' }),
    about: 'renderer',
    message: /PDFs are not sold/,
    advice: /set CHROMIUM_PATH/,
  },
  {
    what: 'a provider that cannot be reached',
    part: 'providers',
    env: async () => ({ EXA_API_KEY: 'live', EXA_BASE_URL: `http://${await nowhere()}` }),
    about: 'EXA_API_KEY',
    message: /exa cannot be reached/,
    advice: /Let this machine connect to 127\.0\.0\.1/,
  },
  {
    what: 'no server at the public address',
    part: 'addresses',
    env: async () => ({ PUBLIC_URL: `http://${await nowhere()}` }),
    about: 'PUBLIC_URL',
    status: 'warning',
    message: /nothing responds/,
    advice: /Start the server/,
  },
  {
    what: 'a public address without encryption',
    part: 'settings',
    env: () => ({ PUBLIC_URL: 'http://api.example.com' }),
    about: 'PUBLIC_URL',
    message: /not encrypted/,
    advice: /https/,
  },
  {
    what: 'a proxy that the settings do not mention',
    part: 'settings',
    env: () => ({ PUBLIC_URL: 'https://api.example.com' }),
    about: 'TRUSTED_PROXIES',
    status: 'warning',
    message: /share the rate limits of one address/,
    advice: /number of proxies/,
  },
  {
    what: 'a data key that is not random',
    part: 'settings',
    env: () => ({
      PUBLIC_URL: 'https://api.example.com',
      TRUSTED_PROXIES: '1',
      DATA_KEY: Buffer.alloc(32).toString('base64'),
    }),
    about: 'DATA_KEY',
    message: /not random/,
    advice: /Make one with: node -p/,
  },
];

for (const { what, part, env, about, status = 'failed', message, advice } of brokenSetUps) {
  test(`doctor says what to do about ${what}`, async () => {
    const { exitCode, output } = await doctor({ ...wellEnv(), ...(await env()) }, '--json', '--only', part);
    const found = findingsIn(output).find((finding) => finding.about === about && finding.status === status);
    expect(found, output).toMatchObject({
      message: expect.stringMatching(message),
      advice: expect.stringMatching(advice),
    });
    expect(exitCode).toBe(status === 'failed' ? 1 : 0);
  });
}

test('doctor says what to do about a facilitator that refuses our token, or settles with other schemes only', async () => {
  const token = randomBytes(16).toString('hex');
  const replies = [
    { status: 401, body: { error: `no ${token}` } },
    {
      status: 200,
      body: {
        kinds: [{ x402Version: 2, scheme: 'upto', network: 'eip155:8453' }],
        extensions: [],
        signers: {},
      },
    },
  ];
  const server = createServer((_, response) => {
    const { status, body } = replies.shift() ?? { status: 500, body: {} };
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const env = {
    ...wellEnv(),
    BASE_FACILITATOR_URL: `http://127.0.0.1:${port}`,
    BASE_FACILITATOR_TOKEN: token,
  };
  try {
    const refused = await doctor(env, '--json', '--only', 'networks');
    expect(findingsIn(refused.output).find(({ about }) => about === 'base')).toMatchObject({
      status: 'failed',
      message: 'the facilitator does not accept our credentials',
      advice: expect.stringMatching(/^Check BASE_FACILITATOR_TOKEN, /),
    });
    expect(refused.output).not.toContain(token);
    const other = await doctor(env, '--json', '--only', 'networks');
    expect(findingsIn(other.output).find(({ about }) => about === 'base')).toMatchObject({
      status: 'failed',
      message: 'the facilitator does not settle eip155:8453 (x402 version 2, scheme exact)',
      advice: expect.stringMatching(/BASE_FACILITATOR_URL/),
    });
  } finally {
    server.close();
  }
});

test('doctor lists every setting that is missing, and checks nothing else', async () => {
  const { exitCode, output } = await doctor({}, '--json');
  const names = findingsIn(output).map(({ about }) => about);
  expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'PUBLIC_URL', 'FILES_URL', 'DATA_KEY']));
  expect(names).not.toContain('database');
  expect(exitCode).toBe(1);
});

test('with --strict, a warning makes doctor fail', async () => {
  const env = { ...wellEnv(), DATABASE_POOL: '500' };
  expect((await doctor(env, '--only', 'database')).exitCode).toBe(0);
  expect((await doctor(env, '--only', 'database', '--strict')).exitCode).toBe(1);
});

for (const args of [['--everything'], ['--only', 'weather'], ['twice']]) {
  test(`doctor ${args.join(' ')} prints the usage`, async () => {
    const { exitCode, output, errors } = await doctor(wellEnv(), ...args);
    expect([exitCode, output]).toEqual([2, '']);
    expect(errors).toMatch(/\n\nUsage: tuppence COMMAND\n\ndoctor /);
  });
}

/** What doctor finds in a database of its own. */
async function findingsOf(databaseUrl: string, now = Date.now): Promise<Finding[]> {
  const settings = parseSettings({ ...wellEnv(), DATABASE_URL: databaseUrl });
  return checkDatabase(settings, now);
}

test('in an empty database, doctor says that the next start applies the migrations', async () => {
  const database = await emptyDatabase();
  try {
    const findings = await findingsOf(database.url);
    expect(findings.find(({ about }) => about === 'migrations')).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/^\d+ to apply, which the next start does$/),
    });
  } finally {
    await database.drop();
  }
});

test('doctor finds a migration that was edited, a read-only database and a clock that is wrong', async () => {
  const database = await migratedDatabase();
  try {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(`UPDATE "_prisma_migrations" SET checksum = 'x'`);
    const name = new URL(database.url).pathname.slice(1);
    await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await client.end();
    const findings = await findingsOf(database.url, () => Date.now() - 60_000);
    expect(findings).toEqual([
      expect.objectContaining({ about: 'database', status: 'failed', message: 'it is read-only' }),
      expect.objectContaining({
        about: 'clock',
        status: 'failed',
        message: expect.stringMatching(/^this machine is (59|60)\.\d seconds behind the database$/),
      }),
      expect.objectContaining({
        about: 'migrations',
        status: 'failed',
        message: expect.stringMatching(/was edited after/),
      }),
      // No server has started on this database.
      expect.objectContaining({ about: 'NETWORKS', status: 'ok' }),
    ]);
  } finally {
    await database.drop();
  }
});
