import { formatUnits } from 'viem';

/** The coin that pays for gas on a network: a prefix of its name, the symbol and the number of decimals. */
const coins = [
  ['solana', 'SOL', 9],
  ['polygon', 'POL', 18],
] as const;

/** `0.000012 ETH`, to six significant digits. */
export function formatCoins(network: string, atomic: bigint): string {
  const [, symbol, decimals] = coins.find(([prefix]) => network.startsWith(prefix)) ?? ['', 'ETH', 18];
  const value = Number(formatUnits(atomic, decimals));
  return `${value.toLocaleString('en-US', { maximumSignificantDigits: 6, maximumFractionDigits: 18 })} ${symbol}`;
}
