import type { Hex } from 'viem';
import type { OwnBalances } from '@/lib/payments/payment';
import type { EvmChain } from './chain';
import { tokenAbi } from './token';

/**
 * Reads what our addresses hold; in one request, because calls of one moment share a batch.
 * @param signers our settlement keys; empty where others settle
 */
export async function evmBalances(chain: EvmChain, signers: readonly Hex[]): Promise<OwnBalances> {
  const { client, offer, token } = chain;
  const [gas, treasuryAtomic] = await Promise.all([
    Promise.all(
      signers.map(async (signer) => ({ signer, atomic: await client.getBalance({ address: signer }) })),
    ),
    // configuredOffers checksums the payee, so it starts with 0x.
    client.readContract({
      address: token,
      abi: tokenAbi,
      functionName: 'balanceOf',
      args: [offer.payTo as Hex],
    }),
  ]);
  return { gas, treasuryAtomic };
}
