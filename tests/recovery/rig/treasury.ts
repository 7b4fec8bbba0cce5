import { createWalletClient, type Hex, http, type PrivateKeyAccount, parseAbi } from 'viem';
import { base } from 'viem/chains';
import { type App, createApp } from '@/lib/app';
import { createLog } from '@/lib/platform/log';
import { parseSettings, type Settings } from '@/lib/platform/settings';
import type { EvmChain } from '@/local/evm/chain';
import { stack } from '../../support/stack';

/** The settings of an operator's process whose chains and database are not the stack's. */
export function operatorSettings(changed: Readonly<Record<string, string>>): Settings {
  const { serverEnv, apiUrl, filesUrl } = stack();
  return parseSettings({ ...serverEnv, PUBLIC_URL: apiUrl, FILES_URL: filesUrl, ...changed });
}

/** An operator's process, with no server running. */
export function openOperatorApp(changed: Readonly<Record<string, string>>): App {
  return createApp({ settings: operatorSettings(changed), log: createLog({ LOG_LEVEL: 'silent' }) });
}

/** Sends USDC from a wallet as its owner would, without waiting for a block. @returns the transaction */
export function sendUsdc(
  { rpcUrl, usdc }: Pick<EvmChain, 'rpcUrl' | 'usdc'>,
  from: PrivateKeyAccount,
  to: Hex,
  atomic: bigint,
): Promise<Hex> {
  const client = createWalletClient({ account: from, chain: base, transport: http(rpcUrl) });
  return client.writeContract({
    address: usdc as Hex,
    abi: parseAbi(['function transfer(address to, uint256 value) returns (bool)']),
    functionName: 'transfer',
    args: [to, atomic],
    gas: 100_000n,
  });
}
