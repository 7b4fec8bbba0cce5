/** The fees that a transaction offers, in wei (EIP-1559). */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Twice the base fee covers five full blocks of increases (EIP-1559: at most an eighth each). */
export function feesFor(baseFeePerGas: bigint, priorityFeePerGas: bigint, feePerGasMax: bigint): Fees {
  const maxFeePerGas = lower(baseFeePerGas * 2n + priorityFeePerGas, feePerGasMax);
  return { maxFeePerGas, maxPriorityFeePerGas: lower(priorityFeePerGas, maxFeePerGas) };
}

/**
 * Fees for a replacement: the current ones, and at least an eighth more than the pending transaction offers, because
 * nodes reject replacements that raise either fee by less than a tenth.
 * @returns null when the cap leaves no room for a replacement
 */
export function raisedFees(offered: Fees, current: Fees, feePerGasMax: bigint): Fees | null {
  const maxFeePerGas = higher(current.maxFeePerGas, raised(offered.maxFeePerGas));
  const maxPriorityFeePerGas = higher(current.maxPriorityFeePerGas, raised(offered.maxPriorityFeePerGas));
  if (maxFeePerGas > feePerGasMax) return null;
  return { maxFeePerGas: higher(maxFeePerGas, maxPriorityFeePerGas), maxPriorityFeePerGas };
}

function raised(fee: bigint): bigint {
  return (fee * 9n) / 8n + 1n;
}

function lower(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function higher(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
