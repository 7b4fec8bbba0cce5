import type { WorklistItem } from '@/lib/ledger/worklist';
import { channelItemWords } from './channel-item-words';

/** What the console and the program say about an item of an optional feature. */
export interface FeatureItemWords {
  /** What the item is. */
  readonly subject: string;
  /** What is wrong with it, in a few words. */
  readonly title: string;
  /** What happened, and what to do. */
  readonly situation: string;
  /** The console's page about it. */
  readonly page: { readonly path: string; readonly link: string };
}

const featureItems: Readonly<Partial<Record<WorklistItem['kind'], FeatureItemWords>>> = {
  ...channelItemWords,
};

/** What is said about the items of a kind that an optional feature adds; null for other kinds. */
export function featureItemOf(kind: WorklistItem['kind']): FeatureItemWords | null {
  return featureItems[kind] ?? null;
}

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
  const ofFeature = featureItemOf(kind);
  if (ofFeature) return ofFeature.situation;
  switch (kind) {
    case 'unknown_for_long':
      return 'It is not known whether the payment went through. Check the RPCs of its network.';
    case 'transfer_without_call':
      return 'The payment was submitted before its request arrived, and bought nothing. Book it; then refund it or keep it.';
    case 'refund_requested':
      return 'Its payer requests a refund. Read why on the page of the call; then refund it, or decline and say why.';
    case 'refund_failed':
      return `The refund failed: ${reason}. Find out where the money went, cancel the refund, and refund again if need be.`;
    case 'refund_unfinished':
      return reason === 'reorganized'
        ? 'A reorganization removed the refund. It usually returns automatically.'
        : 'The refund is not confirmed. Find out whether its transaction was sent, then record it or cancel the refund.';
    default:
      return situations[reason ?? ''] ?? `Delivery was not possible: ${reason}. Refund it.`;
  }
}
