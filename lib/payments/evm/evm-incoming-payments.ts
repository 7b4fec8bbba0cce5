import { getAddress, type TransactionReceipt } from 'viem';
import type { IncomingPayment } from '@/lib/payments/incoming-payment';
import type { Offer } from '@/lib/payments/network-offers';
import { authorizedTransfers } from './authorized-transfers';

/** The payments to us in a transaction. Transfers of zero, which anyone can authorize, are left out. */
export function incomingPayments(
  { logs }: Pick<TransactionReceipt, 'logs'>,
  { asset, payTo }: Offer,
): IncomingPayment[] {
  return authorizedTransfers(logs, asset)
    .filter(({ to, valueAtomic }) => to === payTo.toLowerCase() && valueAtomic > 0n)
    .map(({ from, nonce, valueAtomic }) => ({
      payer: getAddress(from),
      authorization: nonce,
      amountAtomic: valueAtomic,
    }));
}
