import { createHash } from 'node:crypto';
import type { VersionedTransactionResponse } from '@solana/web3.js';
import type { IncomingPayment } from '@/lib/payments/incoming-payment';
import type { Offer } from '@/lib/payments/networks';
import { balanceChanges } from './balance-changes';

/** The payment in a transaction, if our payee has more than before; null otherwise. */
export function incomingPayment(
  found: VersionedTransactionResponse,
  { asset, payTo }: Offer,
): IncomingPayment | null {
  const changes = balanceChanges(found, asset);
  const amountAtomic = changes
    .filter(({ owner }) => owner === payTo)
    .reduce((sum, { atomic }) => sum + atomic, 0n);
  if (amountAtomic <= 0n) return null;
  const payers = new Set(changes.filter(({ atomic }) => atomic < 0n).map(({ owner }) => owner));
  const [payer = null] = payers;
  const authorization = createHash('sha256').update(found.transaction.message.serialize()).digest('hex');
  return { payer: payers.size === 1 ? payer : null, authorization, amountAtomic };
}
