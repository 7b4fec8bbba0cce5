import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generatePrivateKey } from 'viem/accounts';
import { startPostgres } from '@/local/postgres';
import { type Stack, startStack } from '@/local/stack';
import { findTestNeeds } from '@/local/test-needs.mjs';
import { whenBuilt } from '@/local/when-built';
import { prepareBrowser } from './browser';
import { databaseVariable } from './database-server';
import { makeTemplate } from './new-database';
import { notePhases, type Phase } from './phases';
import { hasReadOnlyDisk } from './read-only-disk';
import { startServer, type TestServer } from './server';
import { programsFolder, stackFileVariable, type TestStack } from './stack';
import { walletProgram } from './wallet-program/wallet';

/**
 * With `TEST_CHANNELS=on`, every server of the run offers payment channels in addition to all other payment methods. Clients
 * that do not use channels should see no difference.
 */
function channelsOfRun(): Record<string, string> {
  if (process.env.TEST_CHANNELS !== 'on') return {};
  return { BATCH_SETTLEMENT: 'base', BATCH_AUTHORIZER_KEY: generatePrivateKey() };
}

/** Starts what the chosen tests need, and nothing else, beside the build. Returns what ends it again. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const needs = findTestNeeds(process.cwd(), process.argv.slice(process.argv.indexOf('test') + 1));
  if (needs.has('stack')) {
    // The test files are loaded while the build goes on. `server.setup.ts` waits for the server.
    const { started, end } = await beginTestStack();
    started.catch((error: unknown) => {
      console.error(error);
      // As if by Ctrl-C: what runs is ended in order.
      process.kill(process.pid, 'SIGINT');
    });
    return end;
  }
  if (needs.has('browser')) await prepareBrowser();
  const end = needs.has('database') ? await startTestDatabase() : async () => {};
  try {
    notePhases(...((await built) ?? []));
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}

const built = whenBuilt<Phase[]>();
// Whoever waits for it is told.
built.catch(() => undefined);

/** One database server with a migrated template, in a folder that is removed afterwards. */
async function startTestDatabase(): Promise<() => Promise<void>> {
  const dir = await mkdtemp(path.join(tmpdir(), 'tuppence-test-'));
  // PostgreSQL runs as another account if this process is root.
  await chmod(dir, 0o711);
  const database = await startPostgres({ dir: path.join(dir, 'postgres'), fsync: false });
  await openDatabaseServer(database.databaseUrl);
  return async () => {
    await database.stop();
    await rm(dir, { recursive: true, force: true });
  };
}

async function openDatabaseServer(url: string): Promise<void> {
  await makeTemplate(url);
  process.env[databaseVariable] = url;
}

interface Beginning {
  /** Resolves when the server has started, which it does after the build. */
  readonly started: Promise<unknown>;
  readonly end: () => Promise<void>;
}

/**
 * One database server with a migrated template, four chains and one server for the whole run, in a folder that is removed
 * afterwards.
 */
export async function startTestStack(): Promise<() => Promise<void>> {
  const { started, end } = await beginTestStack();
  await started.catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return end;
}

async function beginTestStack(): Promise<Beginning> {
  const startedMs = performance.now();
  const dir = await mkdtemp(path.join(tmpdir(), 'tuppence-test-'));
  const stack = await startStack({ dir, payers: 0, fsync: false });
  const stackFile = path.join(dir, 'stack.json');
  process.env[stackFileVariable] = stackFile;
  const ready = Promise.all([openDatabaseServer(stack.databaseUrl), prepareBrowser()]).then(
    () => performance.now() - startedMs,
  );
  const server = ready.then((ms) => startServerWhenBuilt(stack, stackFile, ms));
  return {
    started: server,
    async end() {
      await server.then(
        ({ stop }) => stop(),
        () => undefined,
      );
      await stack.stop();
      for (const folder of [dir, programsFolder()]) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @param beforeMs how long the set-up has taken before */
async function startServerWhenBuilt(
  { databaseUrl, networks, ...stack }: Stack,
  stackFile: string,
  beforeMs: number,
): Promise<TestServer> {
  notePhases(...((await built) ?? []));
  const startedMs = performance.now();
  const source = 'https://git.example.com/tuppence';
  const serverEnv = {
    ...stack.serverEnv,
    SOURCE_URL: source,
    SOURCE_EDIT_URL: `${source}/edit/main`,
    SOLANA_WALLET_PROGRAMS: walletProgram,
    ...channelsOfRun(),
  };
  const settings = { ...serverEnv, TRUSTED_PROXIES: '1' };
  const server = await startServer(settings, { isOnReadOnlyDisk: hasReadOnlyDisk });
  const { apiUrl, filesUrl, pid } = server;
  const known: TestStack = { databaseUrl, networks, serverEnv, apiUrl, filesUrl, serverPid: pid };
  // Renamed, because it is read as soon as it exists.
  await writeFile(`${stackFile}.new`, JSON.stringify(known), { mode: 0o600 });
  await rename(`${stackFile}.new`, stackFile);
  notePhases({ name: 'Set-up of the stack', ms: beforeMs + performance.now() - startedMs });
  return server;
}
