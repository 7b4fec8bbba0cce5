import type { TransactionReceipt } from 'viem';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import type { GasLimits } from '@/lib/payments/gas-budget';
import type { GasInVain } from '@/lib/payments/journal';
import type { EvmNetwork } from '@/lib/payments/network-offers';
import type { Payment } from '@/lib/payments/payment';
import type { EvmCharge } from './settlement-transaction';

/**
 * The gas limit of one transfer. Circle's token takes about 40,000 to 90,000 when the payer has no code. For a payer
 * with code the token calls that code, which may verify a P-256 signature with a precompile (less than 10,000) or in
 * Solidity (200,000 to 350,000), which is too expensive to pay for.
 */
export const transferGas = { withoutCode: 120_000n, withCode: 250_000n } as const;

/**
 * What payers with code may cost in vain. With a transaction of about 280,000 gas, the limits are about 4, 10, 12 and 20
 * failures.
 */
export const gasLimitsOfCode: GasLimits = {
  ofPayer: 1_200_000n,
  ofCode: 3_000_000n,
  ofClient: 3_600_000n,
  ofAll: 6_000_000n,
  ofFailure: transferGas.withCode,
};

/**
 * The gas limit of the `eth_call` that asks a contract wallet about a signature: what the token could give the wallet, plus
 * the calldata and the base cost of a transaction. The call itself is free.
 */
export const walletCallGas = transferGas.withCode + 80_000n;

/** Gas of a transaction outside of its transfers. */
const transactionOverhead = 60_000n;
/** Gas of the batch contract per transfer: calldata, loop and memory. */
const memberOverhead = 12_000n;

/** A call gets at most 63/64 of the remaining gas (EIP-150), so a little more than the limit must be available. */
function gasPerMember(network: EvmNetwork, cap: bigint): bigint {
  return (cap * 64n) / 63n + memberOverhead + network.postingGasPerPayment;
}

/** The signature length that `memberOverhead` and `postingGasPerPayment` cover: that of a key's signature. */
const usualSignatureBytes = 65;
/** Calldata costs 16 gas per byte, and the batch contract copies it. */
const gasPerSignatureByte = 20n;
/** How many bytes of a payment cannot be compressed: nonce, payer and signature. */
const postedBytes = 150n;

/** Gas of the calldata of longer signatures, which is spent before any transfer gets its share. */
function gasOfSignatures(network: EvmNetwork, payments: readonly SignedPayment[]): bigint {
  const perByte = gasPerSignatureByte + network.postingGasPerPayment / postedBytes;
  const bytes = payments.map(({ signed }) =>
    Math.max(0, signed.signature.length / 2 - 1 - usualSignatureBytes),
  );
  return perByte * BigInt(bytes.reduce((sum, one) => sum + one, 0));
}

type SignedPayment = Pick<Payment<EvmSigned>, 'signed'>;

/** The gas limit of a transaction, enough even if every transfer uses its full limit. */
export function transactionGas(network: EvmNetwork, payments: readonly SignedPayment[], cap: bigint): bigint {
  const members = BigInt(payments.length);
  return transactionOverhead + gasPerMember(network, cap) * members + gasOfSignatures(network, payments);
}

/** The most payments in one transaction, so that callers do not wait for very large groups. */
const membersMax = 100n;

/** How many payments of payers without code fit into one transaction. */
export function groupSizeMax(network: EvmNetwork): number {
  const fitting =
    (network.gasPerTransactionMax - transactionOverhead) / gasPerMember(network, transferGas.withoutCode);
  return Number(fitting < membersMax ? fitting : membersMax);
}

/** Gas of an empty transaction. */
const emptyTransactionGas = 21_000n;
/** The least gas of a successful transfer, including its calldata. */
const carriedTransferGas = 50_000n;

/**
 * The gas that a mined transaction spent on failed transfers. A receipt does not show the gas of single transfers, so the gas
 * that the successful ones did not use is divided among the failed ones, up to the limit of a transfer without code. If all
 * transfers failed, they share all of the gas. When a whole transaction with several transfers was reverted, the cause is
 * unknown and no payer is named.
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
