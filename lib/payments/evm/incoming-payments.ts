import { getAddress, type Hex, isAddressEqual, parseEventLogs, type TransactionReceipt } from 'viem';
import type { IncomingPayment } from '@/lib/payments/incoming-payment';
import type { Offer } from '@/lib/payments/networks';
import { tokenAbi } from './token';

/**
 * The payments to us in a transaction. The token logs the use of an authorization immediately before the transfer. Anybody can
 * authorize a transfer of nothing, which pays nothing.
 */
export function incomingPayments(
  { logs }: Pick<TransactionReceipt, 'logs'>,
  { asset, payTo }: Offer,
): IncomingPayment[] {
  const ofToken = logs.filter(({ address }) => isAddressEqual(address, asset as Hex));
  const events = parseEventLogs({ abi: tokenAbi, logs: ofToken, strict: true });
  return events.flatMap((used, index) => {
    const transfer = events[index + 1];
    if (used.eventName !== 'AuthorizationUsed' || transfer?.eventName !== 'Transfer') return [];
    if (!isAddressEqual(transfer.args.to, payTo as Hex) || transfer.args.value === 0n) return [];
    return {
      payer: getAddress(used.args.authorizer),
      authorization: used.args.nonce.toLowerCase(),
      amountAtomic: transfer.args.value,
    };
  });
}
