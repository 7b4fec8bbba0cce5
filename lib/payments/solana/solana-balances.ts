import { type Connection, PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import type { Offer } from '@/lib/payments/network-offers';
import type { OwnBalances } from '@/lib/payments/settlers';

const tokenAccount = z.object({
  parsed: z.object({ info: z.object({ tokenAmount: z.object({ amount: z.string() }) }) }),
});

/**
 * Reads what our addresses hold.
 * @param feePayer our settlement key; null where others settle
 */
export async function solanaBalances(
  connection: Connection,
  offer: Offer,
  feePayer: string | null,
): Promise<OwnBalances> {
  const [lamports, treasuryAtomic] = await Promise.all([
    feePayer === null ? null : connection.getBalance(new PublicKey(feePayer)),
    solanaUsdcOf(connection, offer, offer.payTo),
  ]);
  return {
    gas: feePayer === null || lamports === null ? [] : [{ signer: feePayer, atomic: BigInt(lamports) }],
    treasuryAtomic,
  };
}

/** Reads what all token accounts of an address hold, in atomic USDC. @param owner base58 */
export async function solanaUsdcOf(
  connection: Connection,
  { asset }: Pick<Offer, 'asset'>,
  owner: string,
): Promise<bigint> {
  const { value: accounts } = await connection.getParsedTokenAccountsByOwner(new PublicKey(owner), {
    mint: new PublicKey(asset),
  });
  return accounts
    .map(({ account }) => BigInt(tokenAccount.parse(account.data).parsed.info.tokenAmount.amount))
    .reduce((sum, amount) => sum + amount, 0n);
}
