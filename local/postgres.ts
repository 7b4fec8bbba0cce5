import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { endStaleProcess, findCommandLine, type GuardedChild, spawnGuarded } from './child-processes';
import { findFreePort } from './free-port';
import {
  findPostgresBinaries,
  findReachableTemporaryFolder,
  findRunAs,
  isReachable,
  type PostgresBinaries,
  type RunAs,
} from './postgres-binaries';

export type PostgresOptions = {
  /** Keeps the data between runs. */
  dir: string;
  port?: number;
  /** The database that `databaseUrl` names; created if it does not exist. */
  database?: string;
  /** If false, a commit survives the death of any process but not of the machine. */
  fsync?: boolean;
};

export type Postgres = {
  databaseUrl: string;
  port: number;
  pid: number;
  /** Creates a database on the same server unless it exists. Returns its URL. */
  createDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
};

const startTimeoutMs = 30_000;

/** Where the data of `dir` is stored: somewhere else if PostgreSQL's account cannot reach `dir`, for example below /root. */
export function locatePostgresData(dir: string): string {
  const wanted = path.resolve(dir);
  if (!findRunAs() || isReachable(path.dirname(wanted))) return wanted;
  const hash = createHash('sha256').update(wanted).digest('hex').slice(0, 12);
  return path.join(findReachableTemporaryFolder(), `tuppence-database-${hash}`);
}

/** Starts a PostgreSQL server on 127.0.0.1, with the data of its last run. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const runAs = findRunAs();
  const binaries = findPostgresBinaries(runAs);
  const dataDir = locatePostgresData(options.dir);
  if (!existsSync(path.join(dataDir, 'PG_VERSION'))) await initialize(binaries, dataDir, runAs);
  await endStalePostmaster(dataDir);
  const port = options.port ?? (await findFreePort());
  const child = await launch(binaries, dataDir, runAs, port, options.fsync ?? false);
  const password = readFileSync(path.join(dataDir, 'tuppence-password'), 'utf8').trim();
  const urlOf = (name: string) => `postgresql://tuppence:${password}@127.0.0.1:${port}/${name}`;
  const createDatabase = async (name: string) => {
    const client = new pg.Client({ connectionString: urlOf('postgres') });
    await client.connect();
    try {
      const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
    } finally {
      await client.end();
    }
    return urlOf(name);
  };
  try {
    const databaseUrl = await createDatabase(options.database ?? 'tuppence');
    return { databaseUrl, port, pid: child.pid, createDatabase, stop: child.stop };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

async function initialize(
  binaries: PostgresBinaries,
  dataDir: string,
  runAs: RunAs | undefined,
): Promise<void> {
  // Created under another name and renamed, so that an interrupted start does not leave half a database.
  const unfinished = `${dataDir}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(path.dirname(dataDir), { recursive: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const passwordFile = `${dataDir}.password`;
  writeFileSync(passwordFile, `${randomBytes(18).toString('hex')}\n`, { mode: 0o600 });
  if (runAs) for (const file of [unfinished, passwordFile]) chownSync(file, runAs.uid, runAs.gid);
  // Iterations protect weak passwords; this one is random, and each connection would pay for the iterations.
  const access = ['-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-c', 'scram_iterations=1'];
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  await promisify(execFile)(
    binaries.initdb,
    ['-D', unfinished, '-U', 'tuppence', '-N', ...access, ...locale],
    { ...runAs, cwd: '/', env: { ...process.env, LC_ALL: 'C' } },
  );
  renameSync(passwordFile, path.join(unfinished, 'tuppence-password'));
  rmSync(dataDir, { recursive: true, force: true });
  renameSync(unfinished, dataDir);
}

async function endStalePostmaster(dataDir: string): Promise<void> {
  const pidFile = path.join(dataDir, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  await endStaleProcess(pid, dataDir);
  // If the pid now belongs to another program, PostgreSQL would conclude that the old server is still running.
  if (!findCommandLine(pid)?.includes(dataDir)) rmSync(pidFile, { force: true });
}

async function launch(
  binaries: PostgresBinaries,
  dataDir: string,
  runAs: RunAs | undefined,
  port: number,
  fsync: boolean,
): Promise<GuardedChild> {
  const settings = [
    ...['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'max_connections=300'],
    ...[`fsync=${fsync ? 'on' : 'off'}`, `full_page_writes=${fsync ? 'on' : 'off'}`],
    // Small, because the stack shares the machine with other programs.
    ...['shared_buffers=128MB', 'log_min_messages=warning', 'max_wal_size=512MB'],
  ];
  const logFile = `${dataDir}.log`;
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const log = openSync(logFile, 'w', 0o600);
    const child = await spawnGuarded({
      command: binaries.postgres,
      args: ['-D', dataDir, ...settings.flatMap((setting) => ['-c', setting])],
      options: { ...runAs, cwd: '/', stdio: ['ignore', log, log], env: { ...process.env, LC_ALL: 'C' } },
      // Fast shutdown: closes open sessions instead of waiting for them.
      stopSignal: 'SIGINT',
    });
    while (Date.now() < deadline && !child.hasExited()) {
      if (isReady(dataDir, child.pid)) return child;
      await sleep(10);
    }
    await child.stop();
    const logText = readFileSync(logFile, 'utf8').trim();
    // The sessions of a killed server keep its shared memory for a moment.
    if (Date.now() < deadline && /shared memory block/.test(logText)) await sleep(200);
    else throw new Error(`PostgreSQL did not start on port ${port}. ${logText}`);
  }
}

/** PostgreSQL writes its state to line 8 of postmaster.pid, where pg_ctl reads it too. */
function isReady(dataDir: string, pid: number): boolean {
  try {
    const lines = readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}
