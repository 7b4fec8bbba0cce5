import { recordBlock, recordFinal, recordVanished, settlementsNotFinal } from '@/lib/ledger/finality';
import type { OperatorApp } from '@/lib/operator/app';
import type { AvailableOffer } from '@/lib/payments/network-registry';

/**
 * Holds the settlements of every network that are not final yet against the chain. One that a re-organization took away
 * falls back: its calls are `unknown`, and are settled again while their authorization lasts.
 */
export async function checkSettlements(app: OperatorApp, now: Date): Promise<void> {
  await Promise.all(app.payments.networks.all().map((offer) => reviewNetwork(app, offer, now)));
}

async function reviewNetwork(
  app: OperatorApp,
  { network, settler }: AvailableOffer,
  now: Date,
): Promise<void> {
  const transactions = await settlementsNotFinal(app, network.name);
  const statuses = await settler.checkFinality(transactions);
  const final: string[] = [];
  for (const { hash, block } of transactions) {
    const status = statuses.get(hash);
    if (status?.kind === 'final') final.push(hash);
    if (status?.kind === 'included' && block === null)
      await recordBlock(app, network.name, hash, status.block);
    if (status?.kind === 'vanished') {
      const calls = await recordVanished(app, network.name, hash, now);
      app.log.error(
        { network: network.name, transaction: hash, calls },
        'a settlement was taken away by its chain',
      );
    }
  }
  if (final.length > 0) await recordFinal(app, network.name, final, now);
}
