import type { Refund } from '@/lib/ledger/refund-records';
import type { SignatureEnd } from '@/lib/payments/refund-transfer';

/** Until when the chain may execute anything that was signed for a refund, sent or not. */
export function endOf(
  refund: Pick<Refund, 'signableUntil' | 'signableUntilHeight' | 'sentUntilHeight'>,
): SignatureEnd {
  const { signableUntil, signableUntilHeight, sentUntilHeight } = refund;
  const heights = [signableUntilHeight, sentUntilHeight].filter((height) => height !== null);
  const untilHeight = heights.reduce<bigint | null>(
    (max, height) => (max === null || height > max ? height : max),
    null,
  );
  return { until: signableUntil, untilHeight };
}
