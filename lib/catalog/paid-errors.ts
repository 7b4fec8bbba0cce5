import type { ErrorCode } from '@/lib/catalog/errors/codes';
import type { OnRail, Operation, RailName } from './operation';

const ofEveryRail: readonly ErrorCode[] = [
  'malformed_request',
  'invalid_input',
  'request_timeout',
  'idempotency_conflict',
  'body_too_large',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
  'operation_paused',
  'ledger_unavailable',
  'delivery_pending',
  'delivery_needs_attention',
  'response_expired',
  'call_refunded',
];

/** The errors that any paid call on a rail can have, in addition to 402 and the errors of its operation. */
export const paidErrors: Readonly<Record<RailName, readonly ErrorCode[]>> = {
  x402: [
    ...ofEveryRail,
    'payment_already_used',
    'payment_in_progress',
    'settlement_unknown',
    'too_many_failed_settlements',
  ],
  mpp: [...ofEveryRail, 'payment_already_used', 'settlement_pending', 'too_many_failed_settlements'],
  account: [
    ...ofEveryRail,
    'account_token_required',
    'account_token_wrong',
    'rate_limited',
    'insufficient_balance',
    'payment_in_progress',
    'settlement_unknown',
  ],
};

/** The errors of an operation on a rail, including the codes that replace the rail's own. */
export function ownErrors({ errors, codes = {} }: Operation, rail: RailName): readonly ErrorCode[] {
  const on = (code: OnRail<ErrorCode> | undefined) => (typeof code === 'object' ? code[rail] : code) ?? [];
  return [...new Set([...errors, on(codes.settlementUnknown), on(codes.deliveryPending)].flat())];
}
