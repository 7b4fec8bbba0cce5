import { type Connection, PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import type { Offer } from '@/lib/payments/networks';
import type { OwnBalances } from '@/lib/payments/payment';

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
  const [lamports, { value: accounts }] = await Promise.all([
    feePayer === null ? null : connection.getBalance(new PublicKey(feePayer)),
    connection.getParsedTokenAccountsByOwner(new PublicKey(offer.payTo), {
      mint: new PublicKey(offer.asset),
    }),
  ]);
  const amounts = accounts.map(({ account }) =>
    BigInt(tokenAccount.parse(account.data).parsed.info.tokenAmount.amount),
  );
  return {
    gas: feePayer === null || lamports === null ? [] : [{ signer: feePayer, atomic: BigInt(lamports) }],
    treasuryAtomic: amounts.reduce((sum, amount) => sum + amount, 0n),
  };
}
