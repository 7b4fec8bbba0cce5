import type { OperatorApp } from '@/lib/operator/operator-app';
import { toCoins, usdcDecimals } from '@/lib/payments/money';
import { readBalances } from '../balances';

/**
 * Reads the balances of our addresses on each network and sets their gauges. A balance that cannot be read keeps its last
 * value.
 */
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
