import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generatePrivateKey } from 'viem/accounts';
import { startPostgres } from '@/local/postgres';
import { startStack } from '@/local/stack';
import { findTestNeeds } from '@/local/test-needs.mjs';
import { whenBuilt } from '@/local/when-built';
import { prepareBrowser } from './browser';
import { databaseVariable } from './database-server';
import { makeTemplate } from './new-database';
import { notePhases, type Phase } from './phases';
import { hasReadOnlyDisk } from './read-only-disk';
import { startServer } from './server';
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
  const end = await startNeeds();
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

async function startNeeds(): Promise<() => Promise<void>> {
  const needs = findTestNeeds(process.cwd(), process.argv.slice(process.argv.indexOf('test') + 1));
  if (needs.has('stack')) return startTestStack();
  if (needs.has('browser')) await prepareBrowser();
  return needs.has('database') ? startTestDatabase() : async () => {};
}

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

/**
 * One database server with a migrated template, four chains and one server for the whole run, in a folder that is removed
 * afterwards.
 */
export async function startTestStack(): Promise<() => Promise<void>> {
  let startedMs = performance.now();
  let ms = 0;
  const dir = await mkdtemp(path.join(tmpdir(), 'tuppence-test-'));
  const stack = await startStack({ dir, payers: 0, fsync: false });
  const { databaseUrl, networks } = stack;
  const source = 'https://git.example.com/tuppence';
  const serverEnv = {
    ...stack.serverEnv,
    SOURCE_URL: source,
    SOURCE_EDIT_URL: `${source}/edit/main`,
    SOLANA_WALLET_PROGRAMS: walletProgram,
    ...channelsOfRun(),
  };
  const start = async () => {
    await Promise.all([openDatabaseServer(stack.databaseUrl), prepareBrowser()]);
    ms += performance.now() - startedMs;
    await built;
    startedMs = performance.now();
    const settings = { ...serverEnv, TRUSTED_PROXIES: '1' };
    return startServer(settings, { isOnReadOnlyDisk: hasReadOnlyDisk });
  };
  const server = await start().catch(async (error: unknown) => {
    await stack.stop();
    throw error;
  });
  const { apiUrl, filesUrl, pid } = server;
  const known: TestStack = { databaseUrl, networks, serverEnv, apiUrl, filesUrl, serverPid: pid };
  const file = path.join(dir, 'stack.json');
  await writeFile(file, JSON.stringify(known), { mode: 0o600 });
  process.env[stackFileVariable] = file;
  ms += performance.now() - startedMs;
  notePhases({ name: 'Set-up of the stack', ms });
  return async () => {
    await server.stop();
    await stack.stop();
    for (const folder of [dir, programsFolder()]) await rm(folder, { recursive: true, force: true });
  };
}
