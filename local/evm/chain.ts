import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endRecordedProcess, type GuardedChild, spawnGuarded } from '../child-processes';
import { findFreePort } from '../free-port';
import { rpcCall } from '../json-rpc';
import { evmNetworks, evmTestNetworks } from '../networks';
import { placeContracts } from './contracts';

const knownNetworks = [...evmNetworks, ...evmTestNetworks];

export type EvmChainOptions = {
  chainId: (typeof knownNetworks)[number]['chainId'];
  port?: number;
  /** The file that keeps the chain between runs; without it the chain starts empty and is not saved. */
  statePath?: string;
  blockTimeSeconds?: number;
  /**
   * `mixed` mines each transaction at once, and an empty block every `blockTimeSeconds` so that chain time advances.
   * `interval` mines only every `blockTimeSeconds`, like a real chain.
   */
  mining?: 'mixed' | 'interval';
};

export type EvmChain = {
  chainId: number;
  rpcUrl: string;
  port: number;
  pid: number;
  usdc: string;
  stop(): Promise<void>;
};

const startTimeoutMs = 15_000;
const architectures: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Starts an anvil process with USDC and the multicall contracts at their real addresses. */
export async function startEvmChain(options: EvmChainOptions): Promise<EvmChain> {
  const network = knownNetworks.find(({ chainId }) => chainId === options.chainId);
  if (!network) throw new Error(`No local network has chain id ${options.chainId}.`);
  const pidFile = options.statePath && `${options.statePath}.pid`;
  if (options.statePath && pidFile) {
    mkdirSync(path.dirname(options.statePath), { recursive: true });
    await endRecordedProcess(pidFile, options.statePath);
    backUpState(options.statePath);
  }
  const { child, port, rpcUrl } = await launch(options, pidFile);
  try {
    await placeContracts(rpcUrl, network);
    // Calls run at the time of the latest block, which is zero on a new chain and long past on one that was stopped.
    await rpcCall(rpcUrl, 'evm_mine');
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { chainId: network.chainId, rpcUrl, port, pid: child.pid, usdc: network.usdc, stop: child.stop };
}

async function launch(options: EvmChainOptions, pidFile: string | undefined) {
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await findFreePort());
    const log = options.statePath ? openSync(`${options.statePath}.log`, 'w', 0o600) : 'ignore';
    const child = await spawnGuarded({
      command: findAnvilBinary(),
      args: anvilArguments(options, port),
      options: { stdio: ['ignore', 'ignore', log] },
      // On SIGTERM anvil writes its state before it exits.
      stopSignal: 'SIGTERM',
      pidFile,
    });
    const rpcUrl = `http://127.0.0.1:${port}`;
    if (await hasStarted(rpcUrl, options.chainId, child)) return { child, port, rpcUrl };
    await child.stop();
    // Another process may have taken the free port, so another port is tried, unless the caller asked for this one.
    if (options.port !== undefined || attempt === 3) {
      const reason = options.statePath ? readFileSync(`${options.statePath}.log`, 'utf8').trim() : '';
      throw new Error(`anvil for chain ${options.chainId} did not start on port ${port}. ${reason}`);
    }
  }
}

function anvilArguments(options: EvmChainOptions, port: number): string[] {
  const blockTime = options.blockTimeSeconds ?? 2;
  return [
    ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(options.chainId)],
    // No well-known keys, and `finalized` close behind `latest`.
    ...['--accounts', '0', '--slots-in-an-epoch', '1', '--quiet', '--no-cors'],
    // Otherwise, at a block every two seconds, the states of old blocks fill the memory and then ~/.foundry.
    ...['--prune-history', '256'],
    ...(blockTime > 0 ? ['--block-time', String(blockTime)] : []),
    ...(blockTime > 0 && options.mining !== 'interval' ? ['--mixed-mining'] : []),
    ...(options.statePath ? ['--state', options.statePath, '--state-interval', '10'] : []),
  ];
}

async function hasStarted(rpcUrl: string, chainId: number, child: GuardedChild): Promise<boolean> {
  for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline && !child.hasExited(); ) {
    const answer = await rpcCall(rpcUrl, 'eth_chainId').catch(() => undefined);
    if (answer !== undefined) return !child.hasExited() && Number(answer) === chainId;
    await sleep(15);
  }
  return false;
}

/** Keeps a copy of the last readable state: anvil leaves half a file if it is killed while it writes. */
function backUpState(statePath: string): void {
  if (!existsSync(statePath)) return;
  const backup = `${statePath}.last-good`;
  try {
    JSON.parse(readFileSync(statePath, 'utf8'));
    copyFileSync(statePath, backup);
  } catch {
    renameSync(statePath, `${statePath}.unreadable`);
    if (existsSync(backup)) copyFileSync(backup, statePath);
  }
}

/** The anvil binary itself, because a killed process of the package's JavaScript wrapper leaves the binary running. */
function findAnvilBinary(): string {
  const { platform } = process;
  const name = `@foundry-rs/anvil-${platform}-${architectures[process.arch]}`;
  // The platform's package is a dependency of the wrapper, not of this repository.
  const require = createRequire(import.meta.url);
  const wrapper = createRequire(require.resolve('@foundry-rs/anvil/package.json'));
  let packageFile: string;
  try {
    packageFile = wrapper.resolve(`${name}/package.json`);
  } catch {
    throw new Error(`anvil for this machine is missing: install the package ${name} with npm ci.`);
  }
  const binary = path.join(path.dirname(packageFile), 'bin', platform === 'win32' ? 'anvil.exe' : 'anvil');
  try {
    accessSync(binary, constants.X_OK);
  } catch {
    chmodSync(binary, 0o755);
  }
  return binary;
}
