import { describeErrors } from './description';

/** Errors of calls that a third party answers. */
export const providerErrors = describeErrors({
  provider_unconfigured: {
    status: 503,
    message:
      'This call is not available at the moment. Nothing was charged. GET /v1/tools/prices lists the available calls.',
    payment: 'none',
    retry: 'later',
  },
  provider_unavailable: {
    status: 503,
    message: 'The provider of this call is temporarily unavailable. Nothing was charged. Try again later.',
    payment: 'none',
    retry: 'later',
  },
  upstream_rejected: {
    status: 422,
    message:
      'The call was paid, and then the provider rejected the request. The payment is kept. The identical request gets the same error; do not pay for it again.',
    payment: 'kept',
    retry: 'stop',
  },
  upstream_failed: {
    status: 502,
    message:
      'The call was paid, and then the provider failed. The payment is kept. Keep the paidCallId; the operator has the failure in the log. The identical request gets the same error.',
    payment: 'kept',
    retry: 'stop',
  },
  offer_not_found: {
    status: 404,
    message:
      'There is no flight offer with this ID, or it has expired. Offers last about 30 minutes. Nothing was charged. Search again for new offers.',
    payment: 'none',
    retry: 'stop',
  },
});
