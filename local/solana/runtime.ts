import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { endRecordedProcess, type GuardedChild, spawnGuarded } from '../child-processes';

export type SolanaRuntimeOptions = {
  port?: number;
  /** Where the chain is kept between runs; without it the chain is forgotten. */
  statePath?: string;
};

export type SolanaRuntime = { rpcUrl: string; port: number; pid: number; stop(): Promise<void> };

const startTimeoutMs = 30_000;
const folder = path.dirname(fileURLToPath(import.meta.url));
const projectRoot = path.resolve(folder, '..', '..', '..');

/** Starts the local Solana in a process of its own: running programs keeps a core busy, and needs tsx to read our source. */
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
      ...['--import', pathToFileURL(tsx).href, path.join(folder, 'main.ts'), String(options.port ?? 0)],
      ...(statePath ? [statePath] : []),
    ],
    // The path aliases are those of the tsconfig.json in the working directory.
    options: {
      cwd: projectRoot,
      stdio: ['ignore', 'ignore', log, 'ipc'],
      env: { ...process.env, NODE_OPTIONS: '' },
    },
    pidFile,
  });
  const port = await waitForPort(child);
  if (port === undefined) {
    await child.stop();
    throw new Error(`The local Solana did not start. ${logFile ? readFileSync(logFile, 'utf8').trim() : ''}`);
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
      // tsx uses the same channel to name the files it loads.
      if (typeof message === 'object' && 'port' in message) settle(Number(message.port));
    });
    child.process.once('exit', () => settle());
    // The channel must not keep a process alive that forgot to stop its chain.
    child.process.channel?.unref();
  });
}
