import { describeErrors } from './description';

/** What can be wrong with any request, and with us. */
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
    message: 'This address is for whoever holds its bearer token; none came, or not the right one.',
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
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time. Nothing was charged.',
    payment: 'none',
    retry: 'later',
  },
  body_too_large: {
    status: 413,
    message: 'The request body is larger than this call takes. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  rate_limited: {
    status: 429,
    message:
      'Too many calls of this kind from this address. Repeat the call after the seconds in Retry-After. Nothing was charged.',
    payment: 'none',
    retry: 'later',
  },
  uncharged_work_limit: {
    status: 429,
    message:
      'Too many calls of this wallet or account failed before they were charged, and their work is limited. Nothing was charged. Send the identical request again after the seconds in Retry-After; the same payment can be used while it is valid.',
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
});
