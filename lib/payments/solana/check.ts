import { type Connection, PublicKey } from '@solana/web3.js';
import type { Offer } from '@/lib/payments/networks';

/** Checks before Solana is offered that the RPC serves the right cluster, and that the payee has a token account. */
export async function checkCluster(connection: Connection, offer: Offer): Promise<string[]> {
  const [genesis, accounts] = await Promise.all([
    connection.getGenesisHash(),
    // The payee's token account must exist, because payments do not create it.
    connection.getTokenAccountsByOwner(new PublicKey(offer.payTo), { mint: new PublicKey(offer.asset) }),
  ]);
  // CAIP-2 for Solana: the first 32 characters of the genesis hash.
  const [, reference = ''] = offer.network.caip2.split(':');
  return [
    ...(genesis.slice(0, 32) === reference ? [] : ['the RPC serves another cluster']),
    ...(accounts.value.length > 0 ? [] : ['the payee has no USDC account; create it first']),
  ];
}
