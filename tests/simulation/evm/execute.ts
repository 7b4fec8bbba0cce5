import type { Mined } from './blocks';
import type { BlockContext } from './call';
import { intrinsicGas } from './gas';
import type { Machine } from './machine';
import type { Transaction } from './raw-transaction';
import { Frame, keys } from './state';

/** Where in which block a transaction runs. */
interface Position extends BlockContext {
  readonly baseFeePerGas: bigint;
  readonly index: number;
  readonly firstLog: number;
}

/** Runs a transaction in a block. Its nonce is used and its gas is paid, even if it fails. */
export function execute(machine: Machine, frame: Frame, transaction: Transaction, at: Position): Mined {
  const { from, to, data, value, nonce } = transaction;
  frame.set(keys.nonce(from), BigInt(nonce + 1));
  const { first, least } = intrinsicGas(data);
  const inner = new Frame(frame);
  const gas = transaction.gas - first;
  // The recipient of a transaction is warm.
  const warm = new Set([`account ${to}`]);
  const result = machine.call(inner, { from, to, data, gas, block: at, warm, machine });
  if (result.success) {
    if (value > 0n) {
      inner.set(keys.gas(from), inner.number(keys.gas(from)) - value);
      inner.set(keys.gas(to), inner.number(keys.gas(to)) + value);
    }
    frame.keep(inner);
  }
  const gasUsed = Math.max(first + result.gasUsed, least);
  const effectiveGasPrice = at.baseFeePerGas + tipOf(transaction, at.baseFeePerGas);
  if (!transaction.isFree)
    frame.set(keys.gas(from), frame.number(keys.gas(from)) - BigInt(gasUsed) * effectiveGasPrice);
  const logs = result.success ? inner.logs : [];
  const { index, firstLog } = at;
  return { transaction, index, isSuccess: result.success, gasUsed, effectiveGasPrice, logs, firstLog };
}

/** What a transaction pays above the base fee, per gas. */
export function tipOf({ maxFeePerGas, maxPriorityFeePerGas }: Transaction, baseFee: bigint): bigint {
  const left = maxFeePerGas - baseFee;
  return left < maxPriorityFeePerGas ? left : maxPriorityFeePerGas;
}
