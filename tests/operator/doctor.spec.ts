import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { checkDatabase } from '@/lib/operator/doctor/database';
import type { Finding } from '@/lib/operator/doctor/finding';
import { catalogs } from '@/lib/operator/doctor/listing-rules';
import { type Published, readPublished } from '@/lib/operator/doctor/published';
import { DataKeys } from '@/lib/platform/data-keys';
import { parseSettings } from '@/lib/platform/settings';
import { addCall } from '../support/ledger-rows';
import { emptyDatabase, migratedDatabase } from '../support/new-database';
import { runOperatorProgram } from '../support/operator-program';
import { fullOnly, sample } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { brokenSetUps, type Env, wellEnv } from './doctor/broken-set-ups';

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

/** What the default tier breaks; the full tier breaks everything else. */
const inDefault = [
  'no database at its address',
  'an RPC of another chain',
  'no server at the public address',
];

for (const { what, part, env, about, status = 'failed', message, advice } of brokenSetUps) {
  test(`doctor says what to do about ${what}`, sample(inDefault.includes(what)), async () => {
    const { exitCode, output } = await doctor({ ...wellEnv(), ...(await env()) }, '--json', '--only', part);
    const found = findingsIn(output).find((finding) => finding.about === about && finding.status === status);
    expect(found, output).toMatchObject({
      message: expect.stringMatching(message),
      advice: expect.stringMatching(advice),
    });
    expect(exitCode).toBe(status === 'failed' ? 1 : 0);
  });
}

test(
  'doctor says what to do about a facilitator that refuses our token, or settles with other schemes only',
  fullOnly,
  async () => {
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
      // Channels are not offered together with a facilitator.
      BATCH_SETTLEMENT: undefined,
      BATCH_AUTHORIZER_KEY: undefined,
      FACILITATOR_URL: `base=http://127.0.0.1:${port}`,
      FACILITATOR_KEY: token,
    };
    try {
      const refused = await doctor(env, '--json', '--only', 'networks');
      expect(findingsIn(refused.output).find(({ about }) => about === 'base')).toMatchObject({
        status: 'failed',
        message: 'the facilitator does not accept our credentials',
        advice: expect.stringMatching(/^Check FACILITATOR_KEY, /),
      });
      expect(refused.output).not.toContain(token);
      const other = await doctor(env, '--json', '--only', 'networks');
      expect(findingsIn(other.output).find(({ about }) => about === 'base')).toMatchObject({
        status: 'failed',
        message: 'the facilitator does not settle eip155:8453 (x402 version 2, scheme exact)',
        advice: expect.stringMatching(/FACILITATOR_URL/),
      });
    } finally {
      server.close();
    }
  },
);

test('doctor lists every setting that is missing, and checks nothing else', async () => {
  const { exitCode, output } = await doctor({}, '--json');
  const names = findingsIn(output).map(({ about }) => about);
  expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'PUBLIC_URL', 'FILES_URL', 'DATA_KEY']));
  expect(names).not.toContain('database');
  expect(exitCode).toBe(1);
});

test('with --strict, a warning makes doctor fail', fullOnly, async () => {
  const env = { ...wellEnv(), DATABASE_POOL: '500' };
  expect((await doctor(env, '--only', 'database')).exitCode).toBe(0);
  expect((await doctor(env, '--only', 'database', '--strict')).exitCode).toBe(1);
});

for (const args of [['--everything'], ['--only', 'weather'], ['twice']]) {
  test(`doctor ${args.join(' ')} prints the usage`, sample(args[0] === 'twice'), async () => {
    const { exitCode, output, errors } = await doctor(wellEnv(), ...args);
    expect([exitCode, output]).toEqual([2, '']);
    expect(errors).toMatch(/\n\nUsage: tuppence doctor /);
  });
}

/** What doctor finds in a separate database. */
async function findingsOf(databaseUrl: string, now = Date.now): Promise<Finding[]> {
  const settings = parseSettings({ ...wellEnv(), DATABASE_URL: databaseUrl });
  return checkDatabase({ settings, keys: new DataKeys(settings.DATA_KEY, settings.NETWORKS) }, now);
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

test('doctor names a variable that looks like a setting', fullOnly, async () => {
  const env = { ...wellEnv(), LOGLEVEL: 'debug' };
  const { exitCode, output } = await doctor(env, '--json', '--only', 'settings');
  expect(findingsIn(output)).toContainEqual({
    about: 'LOGLEVEL',
    status: 'warning',
    message: 'is not a setting. Did you mean LOG_LEVEL?',
    advice: 'Rename LOGLEVEL, or remove it. The server ignores it.',
  });
  expect(exitCode).toBe(0);
});

test(
  'doctor names an operation that is paused, and counts no call that its caller spoiled',
  fullOnly,
  async () => {
    const database = await migratedDatabase();
    const client = new Client({ connectionString: database.url });
    try {
      await client.connect();
      for (const [operation, note] of [
        ['uploads.create', 'delivery_failed'],
        ['uploads.create', 'recovery_failed'],
        ['forms.create', 'delivery_failed'],
        ['uploads.renew', 'renewal_limit'],
        ['uploads.renew', 'upload_not_found'],
      ] as const)
        await addCall(client, { operation, states: ['settled', ['needs_attention', note]] });
      const env = { ...wellEnv(), DATABASE_URL: database.url };
      const examined = await doctor({ ...env, WORKLIST_LIMIT: '2' }, '--json', '--only', 'worklist');
      expect(findingsIn(examined.output)).toEqual([
        {
          about: 'WORKLIST_LIMIT=2',
          status: 'failed',
          message: 'uploads.create is paused, because 2 of its paid calls could not be delivered',
          advice: expect.stringContaining('Run tuppence worklist'),
        },
      ]);
      expect(examined.exitCode).toBe(1);
      for (const WORKLIST_LIMIT of ['3', '0'])
        expect((await doctor({ ...env, WORKLIST_LIMIT }, '--only', 'worklist')).output).toMatch(
          /^ok {7}WORKLIST_LIMIT=\d: no operation is paused\n/,
        );
    } finally {
      await client.end();
      await database.drop();
    }
  },
);

test('doctor finds paid calls without an answer on a network that is no longer set', async () => {
  const database = await migratedDatabase();
  const client = new Client({ connectionString: database.url });
  try {
    await client.connect();
    for (const network of ['base', 'polygon', 'account'])
      await addCall(client, { network, states: ['unknown'] });
    await addCall(client, { network: 'polygon', states: ['settled', 'needs_attention'] });
    await addCall(client, { network: 'arbitrum' });
    const env = {
      ...wellEnv(),
      DATABASE_URL: database.url,
      POLYGON_RPC_URL: undefined,
      ARBITRUM_RPC_URL: undefined,
    };
    const { output, exitCode } = await doctor(env, '--json', '--only', 'database');
    expect(findingsIn(output).filter(({ about }) => /base$|polygon|arbitrum|account/.test(about))).toEqual([
      expect.objectContaining({ about: 'database', status: 'ok' }),
      {
        about: 'polygon',
        status: 'warning',
        message: '2 paid calls on it without an answer, and POLYGON_RPC_URL is not set',
        advice: expect.stringContaining('Set POLYGON_RPC_URL again until these calls are finished.'),
      },
    ]);
    expect(exitCode).toBe(0);
  } finally {
    await client.end();
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
      expect.objectContaining({ about: 'DATA_KEY', message: 'nothing that needs it is stored yet' }),
    ]);
  } finally {
    await database.drop();
  }
});

test('doctor finds nothing in the way of public catalogs but the address of this machine', async () => {
  const { output } = await doctor(wellEnv(), '--json', '--only', 'listings');
  const inTheWay = 'nothing but the address of this machine is in the way';
  expect(findingsIn(output)).toEqual(
    ['Bazaar', 'x402scan', 'MPP directory', 'MCP registry'].map((about) => ({
      about,
      status: 'skipped',
      message: inTheWay,
    })),
  );
});

test('doctor says by which rule a catalog would not list a service', async () => {
  const published = await readPublished({ settings: parseSettings(wellEnv()) });
  const [call] = published.x402;
  if (!call) throw new Error('there are no calls');
  const changed = (terms: object): Published => ({
    ...published,
    x402: [{ ...call, terms: { ...(call.terms as object), ...terms } }],
  });
  const { resource, accepts, extensions } = call.terms as Record<'resource' | 'extensions', object> & {
    accepts: object[];
  };
  const openApi = (change: Partial<Published['openApi']>) => ({
    ...published,
    openApi: { ...published.openApi, ...change },
  });
  const server = (change: object) => ({
    ...published,
    mcpServer: { ...(published.mcpServer as object), ...change },
  });
  const paths = (change: object) => {
    const document = structuredClone(published.openApi.document) as {
      paths: Record<string, Record<string, object>>;
    };
    Object.assign(document.paths['/v1/uploads']?.post ?? {}, change);
    return openApi({ document });
  };
  const cases: [catalog: string, broken: Published, message: RegExp, source: RegExp][] = [
    ['Bazaar', { ...published, x402: [{ ...call, status: 404 }] }, /gets no x402 402/, /validate-endpoint/],
    ['Bazaar', changed({ accepts: [] }), /gets no x402 402/, /validate-endpoint/],
    ['Bazaar', changed({ extensions: {} }), /bazaar extension/, /bazaar\.md/],
    ['Bazaar', changed({ resource: { ...resource, url: 'https://inside' } }), /another URL/, /bazaar\.md/],
    ['Bazaar', changed({ resource: { ...resource, description: 'x'.repeat(501) } }), /more than 500/, /2789/],
    [
      'Bazaar',
      changed({ resource: { ...resource, tags: ['x'.repeat(33)] } }),
      /gets no x402 402/,
      /validate-endpoint/,
    ],
    ['x402scan', openApi({ document: { paths: {} } }), /no title/, /DISCOVERY/],
    [
      'x402scan',
      paths({ 'x-payment-info': { price: '0.005' } }),
      /POST \/v1\/uploads: the operation lacks/,
      /DISCOVERY/,
    ],
    [
      'x402scan',
      changed({ accepts: accepts.map((one) => ({ ...one, amount: '0.01' })) }),
      /atomic/,
      /DISCOVERY/,
    ],
    ['x402scan', changed({ extensions: { ...extensions, bazaar: {} } }), /no schema/, /DISCOVERY/],
    ['x402scan', changed({ accepts: accepts.slice(1, 3) }), /neither on Base/, /chain\.ts/],
    ['MPP directory', paths({ responses: {} }), /402 response/, /payment-discovery/],
    ['MPP directory', openApi({ mediaType: 'text/html' }), /arrives as text\/html/, /payment-discovery/],
    ['MPP directory', openApi({ bytes: 70_000 }), /69 KB/, /payment-discovery/],
    ['MPP directory', { ...published, mpp: [] }, /no call is paid over MPP/, /payment-discovery/],
    [
      'MPP directory',
      { ...published, mpp: published.mpp.map((one) => ({ ...one, challenges: 'Bearer' })) },
      /and \d+ more: .*no 402/,
      /httpauth/,
    ],
    ['MPP directory', { ...published, publicUrl: 'https://elsewhere.example' }, /the realm is not/, /mppx/],
    [
      'MCP registry',
      server({ description: 'x'.repeat(101) }),
      /description is missing or not allowed/,
      /registry/,
    ],
    ['MCP registry', server({ version: '^1.2.0' }), /version is missing/, /registry/],
    ['MCP registry', server({ name: 'com.example/tuppence' }), /reversed host/, /registry/],
    [
      'MCP registry',
      server({ remotes: [{ type: 'sse', url: 'https://elsewhere.example/mcp' }] }),
      /a remote is not/,
      /remote-servers/,
    ],
  ];
  for (const { name, obstacles } of catalogs) expect([name, obstacles(published)]).toEqual([name, []]);
  const unseen = cases.filter(([catalog, broken, message, source]) => {
    const seen = catalogs.find(({ name }) => name === catalog)?.obstacles(broken) ?? [];
    return !seen.some((one) => message.test(one.message) && source.test(one.source) && one.advice !== '');
  });
  expect(unseen.map(([catalog, , message]) => `${catalog} ${message}`)).toEqual([]);
});
