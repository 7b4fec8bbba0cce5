import { formatUnits } from 'viem';
import { coinOf } from '@/lib/payments/coins';

/** `0.000012 ETH`, to six significant digits. */
export function formatCoins(network: string, atomic: bigint): string {
  const { symbol, decimals } = coinOf(network);
  const value = Number(formatUnits(atomic, decimals));
  return `${value.toLocaleString('en-US', { maximumSignificantDigits: 6, maximumFractionDigits: 18 })} ${symbol}`;
}
