import { getAddress, type Log, parseEventLogs, type TransactionReceipt } from 'viem';
import type { EvmSigned, Payment } from '@/lib/payments/payment';
import { tokenAbi } from './calls';

/**
 * Whether a mined transaction moved this payment: the token logged the use of its authorization and the transfer of
 * exactly its amount to its payee. The status of the transaction alone proves nothing about one payment in it.
 */
export function carriesPayment(
  receipt: Pick<TransactionReceipt, 'status' | 'logs'>,
  payment: Payment<EvmSigned>,
): boolean {
  if (receipt.status !== 'success') return false;
  const logs = tokenLogs(receipt.logs, payment.asset);
  const used = logs.some(
    (log) =>
      log.eventName === 'AuthorizationUsed' &&
      getAddress(log.args.authorizer) === payment.payer &&
      log.args.nonce.toLowerCase() === payment.authorization,
  );
  const transferred = logs.some(
    (log) =>
      log.eventName === 'Transfer' &&
      getAddress(log.args.from) === payment.payer &&
      getAddress(log.args.to) === payment.payTo &&
      log.args.value === payment.amountAtomic,
  );
  return used && transferred;
}

const parsed = new WeakMap<readonly Log[], ReturnType<typeof parseTokenLogs>>();

/** The token's own logs of a receipt; parsed once though every payment of a group looks into the same receipt. */
function tokenLogs(logs: readonly Log[], token: string) {
  const known = parsed.get(logs);
  if (known) return known;
  const fresh = parseTokenLogs(logs, token);
  parsed.set(logs, fresh);
  return fresh;
}

function parseTokenLogs(logs: readonly Log[], token: string) {
  return parseEventLogs({ abi: tokenAbi, logs: logs.filter((log) => getAddress(log.address) === token) });
}
