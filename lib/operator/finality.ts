import { payments } from '@/lib/app/payments';
import { recordBlock, recordFinal, recordVanished, settlementsNotFinal } from '@/lib/ledger/finality';
import type { AvailableOffer } from '@/lib/payments/desk';
import { log } from '@/lib/platform/log';

/**
 * Holds the settlements of every network that are not final yet against the chain. One that a re-organization took away
 * falls back: its calls are `unknown`, and are settled again while their authorization lasts.
 */
export async function reviewSettlements(now: Date): Promise<void> {
  await Promise.all(
    payments()
      .desk.all()
      .map((offer) => reviewNetwork(offer, now)),
  );
}

async function reviewNetwork({ network, settler }: AvailableOffer, now: Date): Promise<void> {
  const transactions = await settlementsNotFinal(network.name);
  const standings = await settler.review(transactions);
  const final: string[] = [];
  for (const { hash, block } of transactions) {
    const standing = standings.get(hash);
    if (standing?.kind === 'final') final.push(hash);
    if (standing?.kind === 'standing' && block === null)
      await recordBlock(network.name, hash, standing.block);
    if (standing?.kind === 'vanished') {
      const calls = await recordVanished(network.name, hash, now);
      log().error(
        { network: network.name, transaction: hash, calls },
        'a settlement was taken away by its chain',
      );
    }
  }
  if (final.length > 0) await recordFinal(network.name, final, now);
}
