import { describeErrors } from './description';

/** Errors that any request can have. */
export const requestErrors = describeErrors({
  malformed_request: {
    status: 400,
    message: 'The request is not well-formed HTTP. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  invalid_input: {
    status: 400,
    message: 'The request is not valid. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  unauthorized: {
    status: 401,
    message: 'This endpoint needs a valid bearer token. Send it as Authorization: Bearer <token>.',
    payment: 'none',
    retry: 'stop',
  },
  not_found: { status: 404, message: 'There is nothing at this URL.', payment: 'none', retry: 'stop' },
  method_not_allowed: {
    status: 405,
    message: 'This URL does not support this method.',
    payment: 'none',
    retry: 'stop',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time. Nothing was charged. Try again.',
    payment: 'none',
    retry: 'later',
  },
  body_too_large: {
    status: 413,
    message: 'The request body is too large for this call. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  rate_limited: {
    status: 429,
    message:
      'Too many calls of this kind from this address. Nothing was charged. Send the call again after the seconds in Retry-After.',
    payment: 'none',
    retry: 'later',
  },
  uncharged_work_limit: {
    status: 429,
    message:
      'Too many calls from this wallet or account failed before they were charged. Nothing was charged. Send the identical request again after the seconds in Retry-After; the payment can be used while it is valid.',
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
    message: 'Something went wrong on our side. Nothing was charged. Try again later.',
    payment: 'none',
    retry: 'later',
  },
  service_unavailable: {
    status: 503,
    message: 'The service cannot take this call right now. Nothing was charged.',
    payment: 'none',
    retry: 'later',
  },
});
