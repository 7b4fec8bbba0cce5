import type { OperatorApp } from '@/lib/operator/app';
import { toCoins, usdcDecimals } from '@/lib/payments/money';
import { readBalances } from '../balances';

/** Reads and shows what our addresses hold on each network. One that cannot be read shows what it last held. */
export async function showBalances(app: OperatorApp): Promise<void> {
  for (const { offer, balances, problem } of await readBalances(app)) {
    const { name: network } = offer.network;
    if (balances === null) {
      app.log.warn({ network, problem }, 'balances could not be read');
      continue;
    }
    for (const { signer, atomic } of balances.gas)
      app.metrics.signerBalance.set({ network, signer }, toCoins(network, atomic));
    app.metrics.treasuryUsdc.set({ network }, Number(balances.treasuryAtomic) / 10 ** usdcDecimals);
  }
}
