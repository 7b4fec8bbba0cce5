/**
 * Every error that a caller can see, told once: its status, its words, what happened to the money and what to do next.
 * Answers, documentation and OpenAPI are rendered from this table (SPEC section 7).
 */

/** What happened to the money of the call that got this answer. */
export type PaymentOutcome = 'none' | 'in_flight' | 'kept' | 'unknown';
/** What the caller should do next. */
export type NextStep = 'fix_input' | 'pay' | 'same_request' | 'later' | 'stop';

export interface ErrorDescription {
  readonly status: number;
  readonly message: string;
  readonly payment: PaymentOutcome;
  readonly retry: NextStep;
}

const table = <T extends Record<string, ErrorDescription>>(entries: T): T => entries;

export const errors = table({
  invalid_input: {
    status: 400,
    message: 'The request is not valid. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  unauthorized: {
    status: 401,
    message: 'This address is for whoever holds its bearer token; none came, or not the right one.',
    payment: 'none',
    retry: 'stop',
  },
  account_token_required: {
    status: 401,
    message:
      'This address is for the holder of an account: Authorization: Bearer <token>. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  account_token_wrong: {
    status: 401,
    message: 'This is not a token of any account, or it has been replaced or revoked. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
  insufficient_balance: {
    status: 402,
    message: 'The account holds less than the call costs. Nothing was charged; top it up at its depositUrl.',
    payment: 'none',
    retry: 'pay',
  },
  account_not_found: {
    status: 404,
    message: 'There is no such account. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
  too_many_requests: {
    status: 429,
    message: 'Too many requests of this kind from this address. Come again later; nothing was charged.',
    payment: 'none',
    retry: 'later',
  },
  form_invalid: {
    status: 400,
    message: 'The form is not valid. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  form_forbidden_content: {
    status: 400,
    message:
      'Forms may not ask for passwords, codes, keys or bank details. The form was not opened and nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  read_token_required: {
    status: 401,
    message: 'The answers are opened by the read token of the form: Authorization: Bearer <readToken>.',
    payment: 'none',
    retry: 'fix_input',
  },
  read_token_wrong: {
    status: 403,
    message: 'This is not the read token of this form.',
    payment: 'none',
    retry: 'stop',
  },
  form_not_found: { status: 404, message: 'There is no such form.', payment: 'none', retry: 'stop' },
  form_gone: {
    status: 410,
    message: 'The answers of this form were readable until its readableUntil and are erased.',
    payment: 'none',
    retry: 'stop',
  },
  payment_required: {
    status: 402,
    message: 'This call must be paid. Nothing was charged yet.',
    payment: 'none',
    retry: 'pay',
  },
  not_owner: {
    status: 403,
    message: 'The paying wallet does not own this upload. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
  upload_not_found: {
    status: 404,
    message: 'There is no such upload, or it has expired or was deleted. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
  offer_not_found: {
    status: 404,
    message:
      'There is no such flight offer, or the airline no longer has it: offers live some 30 minutes. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
  paid_call_not_found: {
    status: 404,
    message: 'There is no paid call with this id.',
    payment: 'none',
    retry: 'stop',
  },
  not_found: { status: 404, message: 'There is nothing at this address.', payment: 'none', retry: 'stop' },
  method_not_allowed: {
    status: 405,
    message: 'This address does not take this method.',
    payment: 'none',
    retry: 'stop',
  },
  renewal_limit: {
    status: 409,
    message:
      'The upload already lives as long as it can: 30 days from the original upload. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
  not_renewable: {
    status: 409,
    message: 'This file was made by us and cannot be renewed. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
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
      'This payment has already bought a call. Its answer is given only with the Idempotency-Key or the claim token it was bought with. Do not pay again.',
    payment: 'kept',
    retry: 'stop',
  },
  payment_in_progress: {
    status: 409,
    message: 'This very request is still being worked on. Send it again in a moment; do not pay again.',
    payment: 'in_flight',
    retry: 'same_request',
  },
  file_too_large: {
    status: 413,
    message: 'The file is larger than 10485760 bytes. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  body_too_large: {
    status: 413,
    message: 'The request body is larger than this call takes. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  output_too_large: {
    status: 422,
    message: 'The PDF would have more than 20 pages or 10485760 bytes. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  upstream_rejected: {
    status: 422,
    message:
      'The provider rejected the request after it was paid, and the payment is kept. The same request gets the same answer; do not pay for it again.',
    payment: 'kept',
    retry: 'stop',
  },
  upstream_failed: {
    status: 502,
    message:
      'The provider failed after the call was paid, and the payment is kept. Keep the paidCallId; the operator knows. The same request gets the same answer.',
    payment: 'kept',
    retry: 'stop',
  },
  upload_url_invalid: {
    status: 403,
    message: 'This is not an upload address that we issued.',
    payment: 'none',
    retry: 'stop',
  },
  upload_url_expired: {
    status: 410,
    message: 'This upload address has expired or its upload was deleted. Nothing was stored.',
    payment: 'none',
    retry: 'stop',
  },
  upload_mismatch: {
    status: 400,
    message: 'What was sent is not the file that was announced. Nothing was stored; send it again.',
    payment: 'none',
    retry: 'fix_input',
  },
  upload_complete: {
    status: 409,
    message: 'The file of this upload is already stored, and this is another one. Nothing was changed.',
    payment: 'none',
    retry: 'stop',
  },
  length_required: {
    status: 411,
    message: 'The Content-Length header is required. Nothing was stored.',
    payment: 'none',
    retry: 'fix_input',
  },
  link_not_found: {
    status: 404,
    message: 'There is no file at this link.',
    payment: 'none',
    retry: 'stop',
  },
  link_not_ready: {
    status: 404,
    message: 'The file of this link has not been uploaded yet.',
    payment: 'none',
    retry: 'later',
  },
  link_gone: {
    status: 410,
    message: 'The file of this link has expired or was deleted.',
    payment: 'none',
    retry: 'stop',
  },
  range_not_satisfiable: {
    status: 416,
    message: 'The requested range lies outside the file.',
    payment: 'none',
    retry: 'fix_input',
  },
  malformed_request: {
    status: 400,
    message: 'The request is not well-formed HTTP. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time. Nothing was charged.',
    payment: 'none',
    retry: 'later',
  },
  headers_too_large: {
    status: 431,
    message: 'The request headers are larger than 32 KB. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side. Nothing was charged.',
    payment: 'none',
    retry: 'later',
  },
  service_unavailable: {
    status: 503,
    message: 'The service cannot take this call right now. Nothing was charged.',
    payment: 'none',
    retry: 'later',
  },
  page_not_public: {
    status: 422,
    message:
      'The page, or an address that it leads on to, is not on the public internet at port 80 or 443. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  page_unsupported: {
    status: 422,
    message: 'There is neither HTML nor text at this address. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  page_too_large: {
    status: 422,
    message: 'The page loads more than a page may, or leads on without end. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  page_unreachable: {
    status: 502,
    message:
      'The page did not answer in time, or not in a way that can be read. Nothing was charged; the identical request may be sent again.',
    payment: 'none',
    retry: 'same_request',
  },
  page_unreadable: {
    status: 502,
    message:
      'The page took more time or memory than a page may, or the reader failed. Nothing was charged; the identical request may be sent again.',
    payment: 'none',
    retry: 'same_request',
  },
  reader_busy: {
    status: 503,
    message:
      'More pages are waiting to be read than can. Nothing was charged; the identical request may be sent again.',
    payment: 'none',
    retry: 'later',
  },
  provider_unconfigured: {
    status: 503,
    message: 'This service has no provider at the moment and is not on offer. Nothing was charged.',
    payment: 'none',
    retry: 'later',
  },
  provider_unavailable: {
    status: 503,
    message: 'The provider of this service does not take calls of ours right now. Nothing was charged.',
    payment: 'none',
    retry: 'later',
  },
  renderer_unconfigured: {
    status: 503,
    message: 'This service has no renderer at the moment. Nothing was charged.',
    payment: 'none',
    retry: 'later',
  },
  renderer_busy: {
    status: 503,
    message:
      'More documents are waiting to be rendered than can. Nothing was charged; the identical request may be sent again.',
    payment: 'none',
    retry: 'later',
  },
  render_failed: {
    status: 503,
    message:
      'The document was not rendered: it took too much time or memory, or the renderer failed. Nothing was charged; the identical request may be sent again.',
    payment: 'none',
    retry: 'same_request',
  },
  ledger_unavailable: {
    status: 503,
    message:
      'Our records cannot be read right now, so whether this payment was used before is not known. Send the identical request again; do not pay again.',
    payment: 'unknown',
    retry: 'same_request',
  },
  settlement_unknown: {
    status: 503,
    message:
      'The payment was sent but its outcome is not known yet. Send the identical request again; do not pay again.',
    payment: 'unknown',
    retry: 'same_request',
  },
  render_settlement_unknown: {
    status: 503,
    message:
      'The PDF is ready, but the outcome of its payment is not known yet. Send the identical request again; do not pay again.',
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
  delivery_requires_reconciliation: {
    status: 409,
    message:
      'The call is paid and its delivery is not finished. Send the identical request again; it costs nothing.',
    payment: 'kept',
    retry: 'same_request',
  },
  settlement_pending: {
    status: 503,
    message:
      'The payment is being settled, or its outcome is not known yet. Send the identical request again; do not pay again.',
    payment: 'unknown',
    retry: 'same_request',
  },
  form_settlement_unknown: {
    status: 503,
    message:
      'The payment for the form was sent but its outcome is not known yet. Send the identical request again; do not pay again.',
    payment: 'unknown',
    retry: 'same_request',
  },
  form_effect_pending: {
    status: 503,
    message:
      'The form is paid but not opened yet. Send the identical request again to finish it; it costs nothing.',
    payment: 'kept',
    retry: 'same_request',
  },
  delivery_pending: {
    status: 503,
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
});

export type ErrorCode = keyof typeof errors;

/**
 * The failures with which a paid call may end for good: the payment is kept and the answer says so (SPEC section 7). A
 * service throws one from `deliver`; nothing else keeps money without delivering.
 */
export const keptFailures: readonly ErrorCode[] = ['upstream_rejected', 'upstream_failed'];

/** The codes that say this about the money of a call; the ledger's own absence is about no call in particular. */
export type CodeWithPayment<Outcome extends PaymentOutcome> = {
  [Code in ErrorCode]: (typeof errors)[Code]['payment'] extends Outcome
    ? Exclude<Code, 'ledger_unavailable'>
    : never;
}[ErrorCode];
