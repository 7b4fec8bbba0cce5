import { formatUnits, parseUnits } from 'viem';

const usdcDecimals = 6;

/** Atomic units of a decimal amount; undefined if it is not a valid amount. */
export function atomicOf(amount: string): bigint | undefined {
  return /^\d{1,12}(\.\d{1,6})?$/.test(amount) ? parseUnits(amount, usdcDecimals) : undefined;
}

/** A decimal amount without trailing zeros, such as `0.05`. */
export const decimalOf = (atomic: bigint): string => formatUnits(atomic, usdcDecimals);
