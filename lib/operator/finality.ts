import { recordBlock, recordFinal, recordVanished, settlementsNotFinal } from '@/lib/ledger/finality';
import type { OperatorApp } from '@/lib/operator/app';
import type { AvailableOffer } from '@/lib/payments/network-registry';

/**
 * Holds the settlements of every network that are not final yet against the chain. One that a re-organization took away
 * falls back: its calls are `unknown`, and are settled again while their authorization lasts.
 */
export async function reviewSettlements(app: OperatorApp, now: Date): Promise<void> {
  await Promise.all(app.payments.networks.all().map((offer) => reviewNetwork(app, offer, now)));
}

async function reviewNetwork(
  app: OperatorApp,
  { network, settler }: AvailableOffer,
  now: Date,
): Promise<void> {
  const transactions = await settlementsNotFinal(app, network.name);
  const standings = await settler.checkFinality(transactions);
  const final: string[] = [];
  for (const { hash, block } of transactions) {
    const standing = standings.get(hash);
    if (standing?.kind === 'final') final.push(hash);
    if (standing?.kind === 'standing' && block === null)
      await recordBlock(app, network.name, hash, standing.block);
    if (standing?.kind === 'vanished') {
      const calls = await recordVanished(app, network.name, hash, now);
      app.log.error(
        { network: network.name, transaction: hash, calls },
        'a settlement was taken away by its chain',
      );
    }
  }
  if (final.length > 0) await recordFinal(app, network.name, final, now);
}
