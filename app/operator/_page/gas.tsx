import type { ReactNode } from 'react';
import { currentApp } from '@/lib/app/current';
import type { KeyStatus } from '@/lib/operator/console/wallets';
import { coinOf, formatCoins, toCoins } from '@/lib/payments/money';

/** An operator is warned when the gas of a key lasts for less than this, at the rate of the last 24 hours. */
export const hoursWarned = 24;

export function runsOut({ hoursLeft }: Pick<KeyStatus, 'hoursLeft'>): boolean {
  return hoursLeft !== null && hoursLeft < hoursWarned;
}

const dollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumSignificantDigits: 2,
  maximumSignificantDigits: 3,
});

/** Gas in coins and, below, in US dollars if `COIN_PRICES` has the price of the coin. */
export function GasAmount({
  network,
  atomic,
  digits,
}: {
  network: string;
  atomic: bigint;
  /** How many significant digits an average has. */
  digits?: number;
}): ReactNode {
  const price = currentApp().settings.COIN_PRICES.get(coinOf(network).symbol);
  return (
    <>
      {formatCoins(network, atomic, digits)}
      {price === undefined || atomic === 0n ? null : (
        <span className="note">≈ {dollars.format(toCoins(network, atomic) * price)}</span>
      )}
    </>
  );
}
