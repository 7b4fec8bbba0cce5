import type { Hex } from 'viem';
import type { OwnBalances } from '@/lib/payments/settlers';
import type { EvmChain } from './evm-chain';
import { tokenAbi } from './usdc-token';

/**
 * Reads what our addresses hold, in one request, because simultaneous calls share a batch.
 * @param signers our settlement keys; empty where others settle
 */
export async function evmBalances(chain: EvmChain, signers: readonly Hex[]): Promise<OwnBalances> {
  const { client, offer } = chain;
  const [gas, treasuryAtomic] = await Promise.all([
    Promise.all(
      signers.map(async (signer) => ({ signer, atomic: await client.getBalance({ address: signer }) })),
    ),
    evmUsdcOf(chain, offer.payTo),
  ]);
  return { gas, treasuryAtomic };
}

/** Reads what an address holds, in atomic USDC. @param owner starts with 0x */
export function evmUsdcOf({ client, token }: EvmChain, owner: string): Promise<bigint> {
  return client.readContract({
    address: token,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [owner as Hex],
  });
}
