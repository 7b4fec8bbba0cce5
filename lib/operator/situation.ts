import type { WorklistItem } from '@/lib/ledger/worklist';

/** What happened and what to do, by the reason of a call that needs attention. */
const situations: Readonly<Record<string, string>> = {
  upload_not_found: 'The upload to renew was gone when its payment arrived. Refund it.',
  renewal_limit: 'The upload had no time left to add when its payment arrived. Refund it.',
  account_revoked: 'The account was revoked while the deposit was paid. Nothing was credited. Refund it.',
  delivery_failed: 'Delivery failed for an hour. The log has the errors. Remove the cause, and refund it.',
  recovery_failed: 'Recovery failed for an hour. The log has the errors. Remove the cause, and refund it.',
  recovery_interrupted:
    'Twenty attempts to deliver it did not finish, and the last ended with its process. Find out how the processes ended, and refund it.',
  data_key_missing:
    'Its input was encrypted with a key that is not in DATA_KEY, so it could not be delivered for an hour. Refund it.',
  transfer_without_call:
    'A payment that bought nothing in this ledger, and was booked. Refund it, or keep it.',
  provider_unreachable:
    'Its provider could not be reached for a minute, and nothing was sent to it. Refund it; tuppence refund --provider refunds all such calls.',
  not_asked_for_again: 'Its client never retried to get the response. Refund it on request.',
};

/** What happened to an item of the worklist, and what the operator can do. */
export function situationOf({ kind, reason }: Pick<WorklistItem, 'kind' | 'reason'>): string {
  switch (kind) {
    case 'unknown_for_long':
      return 'It is not known whether the payment went through. Check the RPCs of its network.';
    case 'transfer_without_call':
      return 'The payment was submitted before its request arrived, and bought nothing. Book it; then refund it or keep it.';
    case 'refund_failed':
      return `The refund failed: ${reason}. Find out where the money went, cancel the refund, and refund again if need be.`;
    case 'refund_unfinished':
      return reason === 'reorganized'
        ? 'A reorganization removed the refund. It usually returns by itself.'
        : 'The refund is not confirmed. Find out whether its transaction was sent, then record it or cancel the refund.';
    case 'channel_leaving':
      return 'The payer is closing a payment channel, and its spent funds are still unclaimed after an hour. A day after it began, it may be lost. The log says why claims fail: see that the settlement key has gas and that an RPC answers.';
    case 'channel_unclaimable':
      return 'The contract rejects the claim of a payment channel. The log has its reason. It is tried again every ten minutes, and the other channels are claimed. If its payer has withdrawn the spent funds, write them off with tuppence channels --write-off.';
    case 'channel_refund_unfinished':
      return 'A payer was promised the rest of a payment channel an hour ago, and the contract has not paid it. The log says why. It is sent again every minute.';
    case 'needs_attention':
      return situations[reason ?? ''] ?? `Delivery was not possible: ${reason}. Refund it.`;
  }
}
