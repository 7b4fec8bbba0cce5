import { formatUnits, parseUnits } from 'viem';
import type { NetworkName } from './networks';

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

/** What an amount of wei or lamports is in coins of its network, as a number for plots. */
export function toCoins(network: NetworkName, atomic: bigint): number {
  return Number(formatUnits(atomic, network.startsWith('solana') ? 9 : 18));
}
