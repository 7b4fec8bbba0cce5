import type { OperatorApp } from '@/lib/operator/app';
import { toCoins, usdcDecimals } from '@/lib/payments/money';
import { describeError } from '@/lib/platform/log';

/** Reads and shows what our addresses hold on each network. One that cannot be read shows what it last held. */
export async function showBalances({ metrics, payments, log }: OperatorApp): Promise<void> {
  await Promise.all(
    payments.networks.all().map(async ({ network: { name: network }, settler }) => {
      try {
        const { gas, treasuryAtomic } = await settler.balances();
        for (const { signer, atomic } of gas)
          metrics.signerBalance.set({ network, signer }, toCoins(network, atomic));
        metrics.treasuryUsdc.set({ network }, Number(treasuryAtomic) / 10 ** usdcDecimals);
      } catch (error) {
        log.warn({ network, error: describeError(error) }, 'balances could not be read');
      }
    }),
  );
}
