import { describeErrors } from './description';

/** Errors that any payment and its paid call can have. */
export const paymentErrors = describeErrors({
  payment_required: {
    status: 402,
    message: 'This call must be paid for. Nothing has been charged.',
    cause:
      'The request has no payment, or its payment was refused: `error` (x402) or `reason` (MPP) says why, for instance an amount that differs from the price, an expired authorization, or too little USDC. The reasons are at the end of this page.',
    payment: 'none',
    retry: 'pay',
  },
  idempotency_conflict: {
    status: 409,
    message:
      'The Idempotency-Key or the payment already belongs to a different request. This request was not charged. Use a new key and payment.',
    cause:
      'A client used one key for two requests, or signed one payment for two, or a contract wallet used a key that was used at its address on another network.',
    payment: 'none',
    retry: 'fix_input',
  },
  payment_already_used: {
    status: 409,
    message:
      'This payment was already used, by an earlier call or by someone who submitted it before this request. To get the response of the earlier call, send its Idempotency-Key or claim token. Do not pay again until you know the outcome.',
    cause:
      'The same signed payment came before without the same key or claim token, or someone else sent it to the chain.',
    payment: 'unknown',
    retry: 'stop',
  },
  payment_in_progress: {
    status: 409,
    message: 'This request is still being processed. Send it again in a moment; do not pay again.',
    cause:
      'The first request with this payment or key is still running, and this one waited for it as long as it could.',
    payment: 'in_flight',
    retry: 'same_request',
  },
  settlement_unknown: {
    status: 503,
    message:
      'The payment was sent, but its outcome is not known yet. Send the identical request again; do not pay again.',
    cause:
      'The transaction was sent, but the chain has not confirmed or rejected it yet: the network is slow, or its node does not answer.',
    payment: 'unknown',
    retry: 'same_request',
  },
  settlement_pending: {
    status: 503,
    message:
      'The payment is being settled, or its outcome is not known yet. Send the identical request again; do not pay again.',
    cause:
      'The first request is still running, or the chain has not confirmed or rejected the transaction yet.',
    payment: 'unknown',
    retry: 'same_request',
  },
  payment_requires_reconciliation: {
    status: 409,
    message:
      'The payment was sent, but its outcome is not known yet. Send the identical request again; do not pay again.',
    cause:
      'The transaction was sent, but the chain has not confirmed or rejected it yet: the network is slow, or its node does not answer.',
    payment: 'unknown',
    retry: 'same_request',
  },
  delivery_pending: {
    status: 503,
    message: 'The call is paid but not delivered yet. Send the identical request again; it costs nothing.',
    cause:
      'The payment was taken, and the service was interrupted before it had stored the response, or could not reach the provider. Delivery resumes automatically.',
    payment: 'kept',
    retry: 'same_request',
  },
  delivery_requires_reconciliation: {
    status: 409,
    message: 'The call is paid but not delivered yet. Send the identical request again; it costs nothing.',
    cause:
      'The payment was taken, and the service was interrupted before the provider had answered, or could not reach it. Your retry resumes it.',
    payment: 'kept',
    retry: 'same_request',
  },
  delivery_needs_attention: {
    status: 503,
    message: 'The call is paid but could not be delivered. The operator will review it; do not pay again.',
    cause:
      'Delivery failed permanently after the payment, the provider could not be reached for a minute, or nobody asked again within a day. The operator reviews it, and can deliver or refund it.',
    payment: 'kept',
    retry: 'stop',
  },
  response_expired: {
    status: 410,
    message:
      'This call was paid for and answered, and its response is gone. Nothing was charged again. Make a new call if you need the result again.',
    cause: 'Responses are stored for 38 days, and this one is older.',
    payment: 'kept',
    retry: 'stop',
  },
  call_refunded: {
    status: 410,
    message:
      'This call was paid for, and its payment has been refunded. Nothing was charged again. GET /v1/paid-calls/{id} shows the refund. To make the call again, use a new Idempotency-Key and payment.',
    cause:
      'The payment was returned, because the call could not be delivered or was disputed. A prepaid account gets the price back automatically when the provider of a call could not be reached.',
    payment: 'refunded',
    retry: 'stop',
  },
  too_many_failed_settlements: {
    status: 429,
    message:
      'Too many payments from this wallet, from others like it, or from your address passed every check and then failed on the chain. Nothing was charged. Try again after the seconds in Retry-After, or pay from another wallet.',
    cause:
      'The wallet is a contract whose code fails on the chain, or its USDC is spent between check and transaction, again and again.',
    payment: 'none',
    retry: 'later',
  },
  operation_paused: {
    status: 503,
    message:
      'This call is paused, because earlier ones could not be delivered after their payment. Nothing was charged. Try again later; calls that are already paid are not affected.',
    cause:
      'Several calls of this kind were paid and could not be delivered, so no more are accepted until the operator has looked.',
    payment: 'none',
    retry: 'later',
  },
  ledger_unavailable: {
    status: 503,
    message:
      'The service cannot check right now whether this payment was used before. Send the identical request again; do not pay again.',
    cause:
      'The database does not answer, or the service is too busy to read the request, so an earlier call with this payment cannot be looked up.',
    payment: 'unknown',
    retry: 'same_request',
  },
  paid_call_not_found: {
    status: 404,
    message: 'There is no paid call with this ID.',
    cause:
      'The ID has a typing error, or belongs to another service. A call gets its ID when its payment is accepted.',
    payment: 'none',
    retry: 'stop',
  },
  refund_not_possible: {
    status: 409,
    message:
      'No refund of this call can be requested: it was not paid, is still being delivered, was refunded, or its deposit was credited. GET /v1/paid-calls/{id} shows its state.',
    cause: 'Only a call that was paid and has ended, and that is not refunded, can be refunded.',
    payment: 'none',
    retry: 'stop',
  },
  receipt_not_found: {
    status: 404,
    message:
      'There is no receipt of this call: it was not answered, or its answer has been erased since. GET /v1/paid-calls/{id} shows its state.',
    cause: 'The call is still running or was refused, or its response was erased when it expired.',
    payment: 'none',
    retry: 'stop',
  },
});
