import { formatUnits, parseUnits } from 'viem';
import type { coinNames } from '@/lib/platform/settings-by-network';

/** A coin that pays for gas. */
export interface Coin {
  readonly symbol: (typeof coinNames)[number];
  readonly decimals: number;
}

const coins: readonly (readonly [prefix: string, Coin])[] = [
  ['solana', { symbol: 'SOL', decimals: 9 }],
  ['polygon', { symbol: 'POL', decimals: 18 }],
];

/** The coin that pays for gas on a network, including its test network. */
export function coinOf(network: string): Coin {
  const [, coin] = coins.find(([prefix]) => network.startsWith(prefix)) ?? [];
  return coin ?? { symbol: 'ETH', decimals: 18 };
}

/** USDC has six decimals on every supported network. */
export const usdcDecimals = 6;

/**
 * "0.005" -> 5000n atomic USDC. Throws on anything but a plain decimal with at most six places. viem would round the
 * rest.
 */
export function toAtomic(price: string): bigint {
  if (!/^\d+(\.\d{1,6})?$/.test(price)) {
    throw new Error('a price is a decimal number with at most six places');
  }
  return parseUnits(price, usdcDecimals);
}

/** 5000n atomic USDC -> "0.005". */
export const toPrice = (atomic: bigint): string => formatUnits(atomic, usdcDecimals);

/** Converts an amount of wei or lamports to coins of its network, as a number for plots. */
export function toCoins(network: string, atomic: bigint): number {
  return Number(formatUnits(atomic, coinOf(network).decimals));
}

/** `0.000012 ETH`, to six significant digits unless told otherwise. */
export function formatCoins(network: string, atomic: bigint, digits = 6): string {
  const value = toCoins(network, atomic).toLocaleString('en-US', {
    maximumSignificantDigits: digits,
    maximumFractionDigits: 18,
  });
  return `${value} ${coinOf(network).symbol}`;
}
