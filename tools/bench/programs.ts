import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type GuardedChild, spawnGuarded } from '@/local/child-processes';
import { findFreePort } from '@/local/free-port';
import type { Traffic } from './counting-proxy';
import type { Arrivals, Flood, Lanes, LoadResult } from './load-protocol';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

interface Program {
  readonly pid: number;
  /** The port in the message with which it reported that it is ready. */
  readonly port: number | undefined;
  ask<Answer>(question: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

/** Starts a program of this folder in its own process. It reports over IPC when it is ready. */
export async function startProgram(
  name: string,
  args: readonly string[],
  logFile: string,
  env: Record<string, string> = {},
): Promise<Program> {
  const log = openSync(logFile, 'a');
  const child = await spawnGuarded({
    command: process.execPath,
    args: ['--import', 'tsx', path.join(repository, 'tools/bench', `${name}.ts`), ...args],
    options: {
      cwd: repository,
      env: { PATH: process.env.PATH, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', ...env },
      stdio: ['ignore', log, log, 'ipc'],
    },
  });
  closeSync(log);
  const { port } = await nextMessage<{ port?: number }>(child, name, logFile);
  return {
    pid: child.pid,
    port,
    async ask<Answer>(question: unknown) {
      const answer = nextMessage<{ result?: Answer; error?: string }>(child, name, logFile);
      child.process.send(question as object);
      const { result, error } = await answer;
      if (result === undefined) throw new Error(`${name}: ${error}`);
      return result;
    },
    stop: child.stop,
  };
}

function nextMessage<Message>(child: GuardedChild, name: string, logFile: string): Promise<Message> {
  // Keeps this process alive while it waits for a long response.
  child.process.ref();
  return new Promise((resolve, reject) => {
    child.process.once('message', (message) => {
      child.process.unref();
      resolve(message as Message);
    });
    child.exited.then(() =>
      reject(new Error(`${name} ended:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`)),
    );
  });
}

export interface Server {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a Next app behind the same custom server as the others. */
export async function startNextApp(
  app: { dir: string; isOurs: boolean },
  logFile: string,
  env: Record<string, string>,
): Promise<Server> {
  const port = await findFreePort();
  const args = [app.dir, app.isOurs ? 'ours' : 'baseline'];
  const addresses = app.isOurs ? ourAddresses(port) : {};
  const program = await startProgram('next-server', args, logFile, {
    ...env,
    ...addresses,
    PORT: String(port),
  });
  return { url: `http://localhost:${port}`, pid: program.pid, stop: program.stop };
}

/** Starts our server as shipped, with a CPU profile if one is wanted. */
export async function startOurServer(
  logFile: string,
  env: Record<string, string>,
  { profileDir, checkout }: { profileDir: string | null; checkout?: string },
): Promise<Server> {
  const port = await findFreePort();
  const child = await spawnOurServer(logFile, { ...env, PORT: String(port) }, { profileDir, checkout });
  const url = `http://localhost:${port}`;
  for (const deadline = Date.now() + 30_000; ; ) {
    const isUp = await fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isUp) return { url, pid: child.pid, stop: child.stop };
    if (child.hasExited() || Date.now() > deadline) {
      await child.stop();
      throw new Error(`our server did not start:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`);
    }
    await sleep(50);
  }
}

/** Starts the process of our server on `env.PORT`, without waiting for it. */
export async function spawnOurServer(
  logFile: string,
  env: Record<string, string> & { PORT: string },
  { profileDir = null, checkout = repository }: { profileDir?: string | null; checkout?: string } = {},
): Promise<GuardedChild> {
  const log = openSync(logFile, 'a');
  const child = await spawnGuarded({
    command: process.execPath,
    args: [...(profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : []), 'dist/server.js'],
    options: {
      cwd: checkout,
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        NEXT_TELEMETRY_DISABLED: '1',
        HOST: '127.0.0.1',
        ...env,
        ...ourAddresses(Number(env.PORT)),
      },
      stdio: ['ignore', log, log],
    },
    graceMs: 15_000,
  });
  closeSync(log);
  return child;
}

function ourAddresses(port: number): Record<string, string> {
  return { PUBLIC_URL: `http://localhost:${port}`, FILES_URL: `http://127.0.0.1:${port}` };
}

export interface Load {
  readonly pid: number;
  run(job: Flood | Lanes | Arrivals): Promise<LoadResult>;
  stop(): Promise<void>;
}

export async function startLoad(logFile: string): Promise<Load> {
  const program = await startProgram('load', [], logFile);
  return { pid: program.pid, run: (job) => program.ask<LoadResult>(job), stop: program.stop };
}

export interface CountingProxy {
  readonly url: string;
  /** What passed since the last call. */
  take(): Promise<Traffic>;
  stop(): Promise<void>;
}

export async function startCountingProxy(upstream: string, logFile: string): Promise<CountingProxy> {
  const program = await startProgram('counting-proxy', [upstream], logFile);
  return {
    url: `http://127.0.0.1:${program.port}`,
    take: () => program.ask<Traffic>('take'),
    stop: program.stop,
  };
}
