import { describeErrors } from './description';

/** What can become of any payment, and of the paid call that it is for. */
export const paymentErrors = describeErrors({
  payment_required: {
    status: 402,
    message: 'This call must be paid. Nothing was charged yet.',
    payment: 'none',
    retry: 'pay',
  },
  idempotency_conflict: {
    status: 409,
    message:
      'This Idempotency-Key or this payment already belongs to another request. Nothing was charged by this one.',
    payment: 'none',
    retry: 'fix_input',
  },
  payment_already_used: {
    status: 409,
    message:
      'This payment was used before: by a call whose answer takes the Idempotency-Key or the claim token of that call, or by somebody who submitted it before it came here. Do not pay again before you know what came of it.',
    payment: 'unknown',
    retry: 'stop',
  },
  payment_in_progress: {
    status: 409,
    message: 'This very request is still being worked on. Send it again in a moment; do not pay again.',
    payment: 'in_flight',
    retry: 'same_request',
  },
  settlement_unknown: {
    status: 503,
    message:
      'The payment was sent but its outcome is not known yet. Send the identical request again; do not pay again.',
    payment: 'unknown',
    retry: 'same_request',
  },
  settlement_pending: {
    status: 503,
    message:
      'The payment is being settled, or its outcome is not known yet. Send the identical request again; do not pay again.',
    payment: 'unknown',
    retry: 'same_request',
  },
  payment_requires_reconciliation: {
    status: 409,
    message:
      'The payment was sent but its outcome is not known yet. Send the identical request again; do not pay again.',
    payment: 'unknown',
    retry: 'same_request',
  },
  delivery_pending: {
    status: 503,
    message:
      'The call is paid and its delivery is not finished. Send the identical request again; it costs nothing.',
    payment: 'kept',
    retry: 'same_request',
  },
  delivery_requires_reconciliation: {
    status: 409,
    message:
      'The call is paid and its delivery is not finished. Send the identical request again; it costs nothing.',
    payment: 'kept',
    retry: 'same_request',
  },
  delivery_needs_attention: {
    status: 503,
    message:
      'The call is paid and could not be delivered. The operator has it on the worklist; do not pay again.',
    payment: 'kept',
    retry: 'stop',
  },
  too_many_failed_settlements: {
    status: 429,
    message:
      'Payments of this wallet, or of wallets that run the same code, passed every check and then failed on the chain, and have used up the gas that may be lost to them in an hour. Nothing was charged. Try again after the time in Retry-After, or pay from another wallet.',
    payment: 'none',
    retry: 'later',
  },
  ledger_unavailable: {
    status: 503,
    message:
      'Our records cannot be read right now, so whether this payment was used before is not known. Send the identical request again; do not pay again.',
    payment: 'unknown',
    retry: 'same_request',
  },
  paid_call_not_found: {
    status: 404,
    message: 'There is no paid call with this id.',
    payment: 'none',
    retry: 'stop',
  },
});
