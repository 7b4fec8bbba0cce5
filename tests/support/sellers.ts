import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import type { sql } from './database';
import { openNodeExample } from './paywall-example';
import { endPaywall, installPaywall, othersOf, paywallSettings, startPaywall } from './paywall-package';
import { type Seller, theService } from './seller';
import { stackFileVariable } from './stack';
import { fullOnly } from './tiers';
import { expect, test } from './without-browser';

const run = promisify(execFile);

/** A running example. */
interface Started {
  readonly apiUrl: string;
  readonly payTo: string;
  readonly query: typeof sql | null;
  stop(): Promise<void>;
}

/** An example as a seller, which has to be started first. */
function exampleSeller(name: string, price: bigint, started: () => Started): Seller {
  return {
    name,
    get url() {
      return `${started().apiUrl}/words`;
    },
    get mppUrl() {
      return `${started().apiUrl}/mpp/words`;
    },
    get apiUrl() {
      return started().apiUrl;
    },
    operation: 'words.count',
    price,
    networks: ['base'],
    // Node's own limit, which its host leaves as it is.
    headerBytesMax: 16 * 1024,
    // The number of words is the answer. The 402 has an example of two.
    newBody: () => JSON.stringify({ text: `${'word '.repeat(randomInt(100, 1_000))}${randomUUID()}` }),
    secretsIn: (answer) => [answer],
    payTo: () => started().payTo,
    get query() {
      return started().query;
    },
    otherUrl: null,
  };
}

/** A folder for one run of the tests, which the next one empties. Packages are made from files of the repository alone. */
async function folderOfRun(): Promise<string> {
  const run = path.basename(path.dirname(process.env[stackFileVariable] ?? ''));
  const folder = path.resolve('test-results', `examples-${run}`);
  await mkdir(folder, { recursive: true });
  return folder;
}

async function startNodeExample(): Promise<Started> {
  const folder = await mkdtemp(path.join(await folderOfRun(), 'node-example-'));
  const { env, drop } = await openNodeExample(path.join(folder, 'app'));
  const server = await startPaywall(path.join(folder, 'app'), env);
  const pool = new Pool({ connectionString: env.DATABASE_URL, max: 2 });
  return {
    apiUrl: env.PUBLIC_URL ?? '',
    payTo: env.PAY_TO ?? '',
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await pool.query(text, [...values])).rows as Row[],
    async stop() {
      await endPaywall(server);
      await pool.end();
      await drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const nextIn = (folder: string) => path.join(folder, 'node_modules/next/dist/bin/next');

async function buildNextExample(folder: string, env: Record<string, string>): Promise<void> {
  await cp('examples/next', folder, { recursive: true });
  const { dependencies } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  await installPaywall(folder, othersOf(dependencies));
  // Turbopack does not follow links out of the folder.
  await run(process.execPath, [nextIn(folder), 'build', '--webpack'], {
    cwd: folder,
    env: { ...process.env, ...env, NEXT_TELEMETRY_DISABLED: '1' },
    timeout: 240_000,
  });
}

/** Builds the example for Next.js, once per run. @returns its folder */
async function builtNextExample(env: Record<string, string>): Promise<string> {
  const folder = path.join(await folderOfRun(), 'next-example');
  const unfinished = `${folder}.unfinished`;
  // Workers get here at the same time. The first to create the folder builds for all of them.
  const isFirst =
    !existsSync(folder) &&
    (await mkdir(unfinished).then(
      () => true,
      () => false,
    ));
  if (isFirst) {
    try {
      await buildNextExample(unfinished, env);
      await rename(unfinished, folder);
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true });
      throw error;
    }
  }
  while (!existsSync(folder)) await sleep(200);
  return folder;
}

/** Starts the example for Next.js. @returns its process, once it answers */
export async function startNextExample(env: Record<string, string>): Promise<ChildProcess> {
  const folder = await builtNextExample(env);
  const { port } = new URL(env.PUBLIC_URL ?? '');
  const server = spawn(
    process.execPath,
    [nextIn(folder), 'start', '--hostname', '127.0.0.1', '--port', port],
    { cwd: folder, env: { ...process.env, ...env, NEXT_TELEMETRY_DISABLED: '1' }, stdio: 'ignore' },
  );
  const isUp = () =>
    fetch(`${env.PUBLIC_URL}/openapi.json`).then(
      ({ status }) => status,
      () => null,
    );
  await expect.poll(isUp, { timeout: 60_000 }).toBe(200);
  return server;
}

const examples: readonly {
  readonly name: string;
  readonly price: bigint;
  readonly start: () => Promise<Started>;
}[] = [
  { name: 'the example for Node', price: 2_000n, start: startNodeExample },
  {
    name: 'the example for Next.js',
    price: 1_000n,
    async start() {
      const { payee, env } = await paywallSettings();
      const server = await startNextExample(env);
      return {
        apiUrl: env.PUBLIC_URL ?? '',
        payTo: payee.address,
        // In memory.
        query: null,
        stop: () => endPaywall(server),
      };
    },
  },
];

/**
 * Declares the same tests for the service and, in the full tier, for each of the examples, which are started for them.
 * @param own what the service sells in them
 */
export function forEachSeller(declare: (seller: Seller) => void, own = theService): void {
  declare(own);
  for (const { name, price, start } of examples)
    test.describe(`at ${name}`, fullOnly, () => {
      let running: Started | undefined;
      test.beforeAll(async () => {
        test.setTimeout(400_000);
        running = await start();
      });
      test.afterAll(() => running?.stop());
      declare(
        exampleSeller(name, price, () => {
          if (!running) throw new Error(`${name} is not started`);
          return running;
        }),
      );
    });
}
