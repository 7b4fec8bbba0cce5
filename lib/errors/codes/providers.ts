import { describeErrors } from './description';

/** Of what somebody else does for us. */
export const providerErrors = describeErrors({
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
  offer_not_found: {
    status: 404,
    message:
      'There is no such flight offer, or the airline no longer has it: offers live some 30 minutes. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
});
