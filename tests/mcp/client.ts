import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { PrivateKeyAccount } from 'viem/accounts';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { topUpUsdc } from '@/local/evm/funding';
import { network } from '../support/stack';
import { type Machine, plainEnv } from './rig';

const clientProgram = path.resolve('packages/client/dist/tuppence.cjs');

/** The result of a run of the client. */
export interface ClientRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningClient {
  readonly done: Promise<ClientRun>;
  readonly child: ChildProcess;
}

interface RunOptions {
  readonly env?: Record<string, string>;
  readonly input?: string | Buffer;
  readonly cwd?: string;
}

/** Starts a command on a machine. */
export function startClient(
  machine: Pick<Machine, 'env' | 'home'>,
  args: readonly string[],
  { env = {}, input, cwd = machine.home }: RunOptions = {},
): RunningClient {
  const child = spawn(process.execPath, [clientProgram, ...args], {
    env: { ...plainEnv, ...machine.env, ...env },
    cwd,
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const done = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code: code as number | null, stdout, stderr }),
  );
  return { child, done };
}

/** Runs a command to its end. */
export const runClient = (...args: Parameters<typeof startClient>): Promise<ClientRun> =>
  startClient(...args).done;

/** A wallet with USDC on a network, and the environment variable with its key. */
export async function newClientWallet(
  atomic = 1_000_000n,
  on: 'base' | 'polygon' = 'base',
): Promise<{ account: PrivateKeyAccount; env: Record<string, string> }> {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  const { rpcUrl, usdc } = network(on);
  if (atomic > 0n) await topUpUsdc(rpcUrl, usdc as `0x${string}`, [account.address], atomic, atomic);
  return { account, env: { TUPPENCE_WALLET_KEY: key } };
}
