import type { Hex } from 'viem';
import { readUsdcBalances } from './evm/funding';
import { rpcCall } from './json-rpc';
import { findAssociatedTokenAddress } from './solana/token-account';
import type { LocalNetwork } from './stack';

/** An owner's USDC on a local network, in atomic units, as the chain itself has it. */
export async function readUsdc(network: LocalNetwork, owner: string): Promise<bigint> {
  if (!network.caip2.startsWith('solana:')) {
    const [balance] = await readUsdcBalances(network.rpcUrl, network.usdc, [owner as Hex]);
    return balance ?? 0n;
  }
  const account = await findAssociatedTokenAddress(owner, network.usdc);
  const answer = await rpcCall(network.rpcUrl, 'getTokenAccountBalance', [account]);
  return BigInt((answer as { value: { amount: string } }).value.amount);
}

/** Atomic units of USDC as people write them. */
export function formatUsdc(amountAtomic: bigint): string {
  const digits = amountAtomic.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{0,4}$/, '')}`;
}
