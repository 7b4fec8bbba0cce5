import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { endRecordedProcess, type GuardedChild, spawnGuarded } from '../child-processes';
import type { SolanaCluster } from '../networks';

export type SolanaRuntimeOptions = {
  port?: number;
  /** The cluster that it stands for, `solana-mainnet` by default. */
  cluster?: SolanaCluster;
  /** The file that keeps the chain between runs; without it the chain starts empty and is not saved. */
  statePath?: string;
};

export type SolanaRuntime = { rpcUrl: string; port: number; pid: number; stop(): Promise<void> };

const startTimeoutMs = 30_000;
const folder = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(folder, '..', '..');

/** Starts the local Solana chain in its own process, because running programs keeps a core busy. */
export async function startSolanaRuntime(options: SolanaRuntimeOptions = {}): Promise<SolanaRuntime> {
  const { statePath } = options;
  const pidFile = statePath && `${statePath}.pid`;
  if (statePath && pidFile) {
    mkdirSync(path.dirname(statePath), { recursive: true });
    await endRecordedProcess(pidFile, statePath);
  }
  const tsx = createRequire(import.meta.url).resolve('tsx');
  const logFile = statePath && `${statePath}.log`;
  const log = logFile ? openSync(logFile, 'w', 0o600) : 'inherit';
  const child = await spawnGuarded({
    command: process.execPath,
    args: [
      ...['--import', pathToFileURL(tsx).href, path.join(folder, 'main.ts')],
      ...[String(options.port ?? 0), options.cluster ?? 'solana-mainnet'],
      ...(statePath ? [statePath] : []),
    ],
    // tsx takes the import aliases from the tsconfig.json of the working directory.
    options: {
      cwd: root,
      stdio: ['ignore', 'ignore', log, 'ipc'],
      env: { ...process.env, NODE_OPTIONS: '' },
    },
    pidFile,
  });
  const port = await waitForPort(child);
  if (port === undefined) {
    await child.stop();
    throw new Error(
      `The local Solana chain did not start. ${logFile ? readFileSync(logFile, 'utf8').trim() : ''}`,
    );
  }
  return { rpcUrl: `http://127.0.0.1:${port}`, port, pid: child.pid, stop: child.stop };
}

function waitForPort(child: GuardedChild): Promise<number | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), startTimeoutMs);
    const settle = (port?: number) => {
      clearTimeout(timer);
      resolve(port);
    };
    child.process.on('message', (message) => {
      // tsx reports the files that it loads on the same channel.
      if (typeof message === 'object' && 'port' in message) settle(Number(message.port));
    });
    child.process.once('exit', () => settle());
    // The channel must not keep alive a process that does not stop its chain.
    child.process.channel?.unref();
  });
}
