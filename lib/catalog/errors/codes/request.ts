import { describeErrors } from './description';

/** Errors that any request can have. */
export const requestErrors = describeErrors({
  malformed_request: {
    status: 400,
    message: 'The request is not well-formed HTTP. Nothing was charged.',
    cause:
      'A header or the request line breaks the rules of HTTP, or a proxy in between changed the request.',
    payment: 'none',
    retry: 'fix_input',
  },
  invalid_input: {
    status: 400,
    message: 'The request is not valid. Nothing was charged.',
    cause:
      'A field is missing, has the wrong type, breaks a limit or is not known. `issues` names each field with its rule.',
    payment: 'none',
    retry: 'fix_input',
  },
  unauthorized: {
    status: 401,
    message: 'This endpoint needs a valid bearer token. Send it as Authorization: Bearer <token>.',
    cause: 'The endpoint is for the operator, and the token is missing or is not theirs.',
    payment: 'none',
    retry: 'stop',
  },
  not_found: {
    status: 404,
    message: 'There is nothing at this URL.',
    cause:
      'The path has a typing error or another version, or the rail of the path does not offer this call.',
    payment: 'none',
    retry: 'stop',
  },
  method_not_allowed: {
    status: 405,
    message: 'This URL does not support this method. Nothing was charged.',
    cause: 'The path exists with another method. The `Allow` header names it.',
    payment: 'none',
    retry: 'stop',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time. Nothing was charged. Try again.',
    cause: 'The connection is slow, or the client sent fewer bytes than its Content-Length.',
    payment: 'none',
    retry: 'later',
  },
  body_too_large: {
    status: 413,
    message: 'The request body is too large for this call. Nothing was charged.',
    cause:
      'The body has more bytes than this call takes. Files are sent to the `uploadUrl` of a slot, not in the body.',
    payment: 'none',
    retry: 'fix_input',
  },
  rate_limited: {
    status: 429,
    message:
      'Too many calls of this kind from this address. Nothing was charged. Send the call again after the seconds in Retry-After.',
    cause:
      'One client address made more free calls than its limit, or more of them than its share while the service is busy.',
    payment: 'none',
    retry: 'later',
  },
  uncharged_work_limit: {
    status: 429,
    message:
      'Too many calls from this wallet or account failed before they were charged. Nothing was charged. Send the identical request again after the seconds in Retry-After; the payment can be used while it is valid.',
    cause:
      'Many calls of one wallet were prepared and then could not be charged, for instance because their documents failed.',
    payment: 'none',
    retry: 'later',
  },
  headers_too_large: {
    status: 431,
    message: 'The request headers are larger than 32 KB. Nothing was charged.',
    cause:
      'The headers are too long. Usually the payment header holds an envelope with extensions that our 402 did not have.',
    payment: 'none',
    retry: 'fix_input',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side. Nothing was charged. Try again later.',
    cause: 'An error in the service. It is in the log of the operator under the `requestId`.',
    payment: 'none',
    retry: 'later',
  },
  service_unavailable: {
    status: 503,
    message: 'The service cannot take this call right now. Nothing was charged.',
    cause:
      'No network can be paid on at the moment, the database does not answer, or the service is starting or stopping.',
    payment: 'none',
    retry: 'later',
  },
});
