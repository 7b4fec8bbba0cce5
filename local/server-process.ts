import { openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endRecordedProcess, type GuardedChild, spawnGuarded } from './child-processes';

export type ServerOptions = {
  root: string;
  /** Holds the server's log and pid. */
  dir: string;
  env: NodeJS.ProcessEnv;
  healthUrl: string;
  /** Called whenever a server has started and passed its health check. */
  onHealthy(pid: number): void;
  /** Called with a message when a server exits on its own; it is then started again. */
  onExit(message: string): void;
};

export type SupervisedServer = { stop(): Promise<void> };

const script = path.join('dist', 'server.js');
const startTimeoutMs = 60_000;
const stableAfterMs = 10_000;
const restartDelaysMs = [100, 500, 1_000, 2_000, 5_000];

/** Starts the built server and keeps it running; throws if the first start fails. */
export async function superviseServer(options: ServerOptions): Promise<SupervisedServer> {
  const logFile = path.join(options.dir, 'server.log');
  const pidFile = path.join(options.dir, 'server.pid');
  await endRecordedProcess(pidFile, script);
  let isStopping = false;
  let current: GuardedChild | undefined;

  const start = async (): Promise<GuardedChild> => {
    const log = openSync(logFile, 'a', 0o600);
    const child = await spawnGuarded({
      command: process.execPath,
      args: [script],
      options: { cwd: options.root, env: options.env, stdio: ['ignore', log, log] },
      graceMs: 8_000,
      pidFile,
    });
    current = child;
    if (isStopping) await child.stop();
    else if (await isHealthy(options.healthUrl, child)) options.onHealthy(child.pid);
    return child;
  };

  const first = await start();
  if (first.hasExited() || !(await isAnswering(options.healthUrl))) {
    await first.stop();
    throw new Error(`The server did not start. The end of ${logFile}:\n${tailOf(logFile)}`);
  }
  const watching = watch(first);

  async function watch(child: GuardedChild): Promise<void> {
    let running = child;
    for (let failures = 0; ; ) {
      const startedMs = performance.now();
      await running.exited;
      if (isStopping) return;
      failures = performance.now() - startedMs > stableAfterMs ? 0 : failures + 1;
      options.onExit(`The server (process ${running.pid}) exited${describeExit(running)}. Restarting it.`);
      await sleep(restartDelaysMs[Math.min(failures, restartDelaysMs.length - 1)]);
      if (isStopping) return;
      running = await start();
    }
  }

  return {
    async stop() {
      isStopping = true;
      await current?.stop();
      await watching;
    },
  };
}

async function isHealthy(healthUrl: string, child: GuardedChild): Promise<boolean> {
  for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline && !child.hasExited(); ) {
    if (await isAnswering(healthUrl)) return !child.hasExited();
    await sleep(25);
  }
  return false;
}

function isAnswering(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    (response) => response.ok,
    () => false,
  );
}

function describeExit({ process: { exitCode, signalCode } }: GuardedChild): string {
  return signalCode ? ` on ${signalCode}` : ` with exit code ${exitCode}`;
}

function tailOf(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
}
