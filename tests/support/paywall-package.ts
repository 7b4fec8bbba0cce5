import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { topUpGas } from '@/local/evm/funding';
import { findFreePort } from '@/local/free-port';
import { buildPaywall } from '@/scripts/build-paywall.mjs';
import { newSolanaSeller, newSolanaWallet } from '../recovery/rig/own-solana';
import { network } from './stack';

const run = promisify(execFile);

/**
 * Makes a folder with the package of the paywall as npm would install it, and with packages that it depends on, but no others.
 * @param folder where
 * @param more other packages that the folder has
 */
export async function installPaywall(folder: string, more: readonly string[]): Promise<void> {
  const place = path.join(folder, 'node_modules/tuppence-paywall');
  await mkdir(place, { recursive: true });
  const packed = await buildPaywall(path.join(folder, 'built'));
  await run('tar', ['-xzf', packed, '-C', place, '--strip-components=1']);
  const { dependencies } = JSON.parse(await readFile(path.join(place, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(dependencies), ...more]) {
    const link = path.join(folder, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.resolve('node_modules', name), link);
  }
}

/** The packages that an example depends on beside those that the package of the paywall brings. */
export function othersOf(dependencies: Record<string, string>): string[] {
  return Object.keys(dependencies).filter((name) => !['tuppence-paywall', 'zod'].includes(name));
}

/** A payee and a settlement key that nothing else uses. */
export interface PaywallKeys {
  readonly payee: { readonly address: string };
  readonly settlementKey: string;
}

/** Makes them for a chain of the stack, with money for fees. */
export async function paywallKeys(on: PaywallNetworkName): Promise<PaywallKeys> {
  const { rpcUrl } = network(on);
  if (on === 'solana-mainnet') {
    const payee = newSolanaWallet();
    return { payee, settlementKey: await newSolanaSeller(rpcUrl, payee.address) };
  }
  const settlementKey = generatePrivateKey();
  await topUpGas(rpcUrl, privateKeyToAccount(settlementKey).address, 10n ** 18n);
  return { payee: privateKeyToAccount(generatePrivateKey()), settlementKey };
}

/** The chains on which paywalls are tested. */
export type PaywallNetworkName = 'base' | 'solana-mainnet';

/** The settings of a server that takes payments on a chain of the stack, to an address and with a key that nothing else uses. */
export async function paywallSettings(
  on: PaywallNetworkName = 'base',
): Promise<Pick<PaywallKeys, 'payee'> & { env: Record<string, string> }> {
  const { rpcUrl, usdc } = network(on);
  const { payee, settlementKey } = await paywallKeys(on);
  return {
    payee,
    env: {
      PUBLIC_URL: `http://127.0.0.1:${await findFreePort()}`,
      SECRET: Buffer.alloc(32, 1).toString('base64'),
      NETWORK: on,
      RPC_URL: rpcUrl,
      USDC: usdc,
      PAY_TO: payee.address,
      SETTLEMENT_KEY: settlementKey,
    },
  };
}

/** Starts `server.mjs` of a folder and waits until it sells. */
export async function startPaywall(folder: string, env: Record<string, string>): Promise<ChildProcess> {
  const server = spawn(process.execPath, ['server.mjs'], { cwd: folder, env: { ...process.env, ...env } });
  server.stderr.pipe(process.stderr);
  const started = new Promise<void>((resolve) => {
    server.stdout.on('data', (text) => {
      if (String(text).includes('selling at ')) resolve();
    });
  });
  const ended = once(server, 'exit').then(([code]) => {
    throw new Error(`the server ended with ${code}`);
  });
  ended.catch(() => undefined);
  await Promise.race([started, ended]);
  return server;
}

/** Ends a server and waits for its end. */
export async function endPaywall(
  server: ChildProcess,
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGTERM',
): Promise<void> {
  const ended = once(server, 'exit');
  server.kill(signal);
  await ended;
}
