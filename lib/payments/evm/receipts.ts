import { type Log, type TransactionReceipt, toEventSelector } from 'viem';
import type { EvmSigned, Payment } from '@/lib/payments/payment';

const usedTopic = toEventSelector('AuthorizationUsed(address,bytes32)');
const transferTopic = toEventSelector('Transfer(address,address,uint256)');

/** The uses and transfers in one receipt, each as one string. Read once for the whole batch. */
const readReceipts = new WeakMap<readonly Log[], ReadonlySet<string>>();

/**
 * Whether a mined transaction made this payment: the token logged the use of its authorization and a transfer of
 * exactly its amount to its payee. The status of a batch transaction does not prove that.
 */
export function carriesPayment(
  receipt: Pick<TransactionReceipt, 'status' | 'logs'>,
  payment: Payment<EvmSigned>,
): boolean {
  if (receipt.status !== 'success') return false;
  let seen = readReceipts.get(receipt.logs);
  seen ??= readLogs(receipt.logs, payment.asset);
  readReceipts.set(receipt.logs, seen);
  const from = word(payment.payer);
  const used = `used ${from} ${payment.authorization}`;
  const transferred = `transfer ${from} ${word(payment.payTo)} ${payment.amountAtomic}`;
  return seen.has(used) && seen.has(transferred);
}

function readLogs(logs: readonly Log[], token: string): ReadonlySet<string> {
  const seen = new Set<string>();
  for (const { address, topics, data } of logs) {
    if (address.toLowerCase() !== token.toLowerCase()) continue;
    const [topic, from = '', to = ''] = topics.map((one) => one.toLowerCase());
    if (topic === usedTopic) seen.add(`used ${from} ${to}`);
    if (topic === transferTopic) seen.add(`transfer ${from} ${to} ${BigInt(data)}`);
  }
  return seen;
}

/** An address as a log topic: left-padded to 32 bytes. */
function word(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}
