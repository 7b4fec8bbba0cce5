import type { TransactionReceipt } from 'viem';
import type { GasInVain } from '@/lib/payments/payment';
import { transferGas } from './gas-limits';
import type { EvmCharge } from './settlement-transaction';

/** Gas of an empty transaction. */
const emptyTransactionGas = 21_000n;
/** The least gas of a successful transfer, including its calldata. */
const carriedTransferGas = 50_000n;

/**
 * The gas that a mined transaction spent on failed transfers. A receipt does not show the gas of single transfers, so
 * what the successful ones leave is shared among the failed ones, up to the limit of each. When a whole transaction
 * with several transfers was reverted, the cause is unknown and nobody is named.
 */
export function gasInVain(
  receipt: Pick<TransactionReceipt, 'gasUsed' | 'status'>,
  charges: readonly EvmCharge[],
  failed: readonly EvmCharge[],
): { total: bigint; shares: GasInVain[] } {
  if (failed.length === 0) return { total: 0n, shares: [] };
  const isWhole = failed.length === charges.length;
  if (receipt.status !== 'success' && charges.length > 1) return { total: receipt.gasUsed, shares: [] };
  const carried = BigInt(charges.length - failed.length);
  const left = receipt.gasUsed - emptyTransactionGas - carriedTransferGas * carried;
  const each = isWhole
    ? receipt.gasUsed / BigInt(failed.length)
    : within(left / BigInt(failed.length), emptyTransactionGas, transferGas.withoutCode);
  const shares = failed.map(({ paidCallId, payment }) => ({ paidCallId, payer: payment.payer, gas: each }));
  return { total: each * BigInt(failed.length), shares };
}

function within(value: bigint, min: bigint, max: bigint): bigint {
  if (value < min) return min;
  return value > max ? max : value;
}
