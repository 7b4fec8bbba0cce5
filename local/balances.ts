import { formatUnits, type Hex } from 'viem';
import { readUsdcBalances } from './evm/funding';
import { rpcCall } from './json-rpc';
import { findAssociatedTokenAddress } from './solana/token-account';
import type { LocalNetwork } from './stack';

/** Reads an owner's USDC balance from the chain, in atomic units. */
export async function readUsdc(network: LocalNetwork, owner: string): Promise<bigint> {
  if (!network.caip2.startsWith('solana:')) {
    const [balance] = await readUsdcBalances(network.rpcUrl, network.usdc, [owner as Hex]);
    return balance ?? 0n;
  }
  const account = await findAssociatedTokenAddress(owner, network.usdc);
  const answer = await rpcCall(network.rpcUrl, 'getTokenAccountBalance', [account]);
  return BigInt((answer as { value: { amount: string } }).value.amount);
}

/** An amount in USDC with at least two decimals. */
export function formatUsdc(amountAtomic: bigint): string {
  const [whole, fraction = ''] = formatUnits(amountAtomic, 6).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}
