import { formatUnits, parseUnits } from 'viem';

const usdcDecimals = 6;

/** Atomic units of a decimal amount; undefined when it is not one. */
export function atomicOf(amount: string): bigint | undefined {
  return /^\d{1,12}(\.\d{1,6})?$/.test(amount) ? parseUnits(amount, usdcDecimals) : undefined;
}

/** A decimal amount without trailing zeros: `0.05`. */
export const decimalOf = (atomic: bigint): string => formatUnits(atomic, usdcDecimals);
