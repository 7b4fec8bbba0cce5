import { type Log, type TransactionReceipt, toEventSelector } from 'viem';
import type { EvmSigned, Payment } from '@/lib/payments/payment';

const usedTopic = toEventSelector('AuthorizationUsed(address,bytes32)');
const transferTopic = toEventSelector('Transfer(address,address,uint256)');

/** The uses and transfers that a token logged in one receipt, each as one string; read once for the whole group. */
const readReceipts = new WeakMap<readonly Log[], ReadonlySet<string>>();

/**
 * Whether a mined transaction moved this payment: the token logged the use of its authorization and the transfer of
 * exactly its amount to its payee. The status of the transaction alone proves nothing about one payment in it.
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

/** An address as a topic has it: left-padded to 32 bytes. */
function word(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}
