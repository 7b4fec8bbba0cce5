import type { TransactionReceipt } from 'viem';
import type { GasInVain } from '@/lib/payments/payment';
import { transferGas } from './gas-limits';
import type { EvmCharge } from './settlement-transaction';

/** Gas of a transaction without any transfer in it. */
const emptyTransactionGas = 21_000n;
/** What a transfer that is carried out takes at least, its calldata included. */
const carriedTransferGas = 50_000n;

/**
 * What a mined transaction spent on transfers that it did not carry out. A receipt says nothing about single transfers, so
 * what the others have left is shared among those that failed, up to the limit that each had. Where the whole transaction
 * was reverted with several in it, nobody can be named: the gas is in vain, and the next try shows whose fault it was.
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
