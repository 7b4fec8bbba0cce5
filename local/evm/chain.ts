import { copyFileSync, existsSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endRecordedProcess, type GuardedChild, spawnGuarded } from '../child-processes';
import { findFreePort } from '../free-port';
import { rpcCall } from '../json-rpc';
import { evmNetworks } from '../networks';
import { findAnvilBinary } from './anvil-binary';
import { placeContracts } from './contracts';

export type EvmChainOptions = {
  chainId: (typeof evmNetworks)[number]['chainId'];
  port?: number;
  /** Where the chain is kept between runs; without it the chain is forgotten. */
  statePath?: string;
  blockTimeSeconds?: number;
  /**
   * `mixed` mines a transaction at once and an empty block on the beat, so that chain time advances; `interval` mines on
   * the beat only, like a real chain.
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

/** Starts an anvil process with USDC and the multicall contracts at their real addresses. */
export async function startEvmChain(options: EvmChainOptions): Promise<EvmChain> {
  const network = evmNetworks.find(({ chainId }) => chainId === options.chainId);
  if (!network) throw new Error(`No local network has chain id ${options.chainId}.`);
  const pidFile = options.statePath && `${options.statePath}.pid`;
  if (options.statePath && pidFile) {
    mkdirSync(path.dirname(options.statePath), { recursive: true });
    await endRecordedProcess(pidFile, options.statePath);
    secureState(options.statePath);
  }
  const { child, port, rpcUrl } = await launch(options, pidFile);
  try {
    await placeContracts(rpcUrl, network);
    // Calls on anvil's first block run at time zero, and on a block from before a pause at the time of the pause.
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
      // On SIGINT and SIGTERM anvil writes its state before it goes.
      stopSignal: 'SIGTERM',
      pidFile,
    });
    const rpcUrl = `http://127.0.0.1:${port}`;
    if (await isAnswering(rpcUrl, options.chainId, child)) return { child, port, rpcUrl };
    await child.stop();
    // A port that was free a moment ago can be gone; one that was asked for stays the wish.
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
    // No keys that everybody knows, and `finalized` close behind `latest`.
    ...['--accounts', '0', '--slots-in-an-epoch', '1', '--quiet', '--no-cors'],
    // States of old blocks would fill memory, then ~/.foundry, at one block every two seconds.
    ...['--prune-history', '256'],
    ...(blockTime > 0 ? ['--block-time', String(blockTime)] : []),
    ...(blockTime > 0 && options.mining !== 'interval' ? ['--mixed-mining'] : []),
    ...(options.statePath ? ['--state', options.statePath, '--state-interval', '10'] : []),
  ];
}

async function isAnswering(rpcUrl: string, chainId: number, child: GuardedChild): Promise<boolean> {
  for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline && !child.hasExited(); ) {
    const answer = await rpcCall(rpcUrl, 'eth_chainId').catch(() => undefined);
    if (answer !== undefined) return !child.hasExited() && Number(answer) === chainId;
    await sleep(15);
  }
  return false;
}

/** Keeps the last state that could be read: anvil killed in the middle of writing leaves half a file. */
function secureState(statePath: string): void {
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
