import { describeErrors } from './description';

/** Errors of calls that a third party answers. */
export const providerErrors = describeErrors({
  provider_unconfigured: {
    status: 503,
    message:
      'This call is not available at the moment. Nothing was charged. GET /v1/tools/prices lists the available calls.',
    cause: 'The operator has not set up the provider of this call.',
    payment: 'none',
    retry: 'later',
  },
  provider_unavailable: {
    status: 503,
    message: 'The provider of this call is temporarily unavailable. Nothing was charged. Try again later.',
    cause:
      'The provider cannot be reached, failed several times in a row, limits our calls or does not take them. Until a call succeeds again, others are refused before they are charged.',
    payment: 'none',
    retry: 'later',
  },
  upstream_rejected: {
    status: 422,
    message:
      'The call was paid, and then the provider rejected the request. The payment is kept. The identical request gets the same error; do not pay for it again.',
    cause:
      'The provider does not accept the content of the request, for instance a search operator or a date that it does not know.',
    payment: 'kept',
    retry: 'stop',
  },
  upstream_failed: {
    status: 502,
    message:
      'The call was sent to the provider, which failed. The payment is kept. Keep the paidCallId: the operator can look up the failure with it. The identical request gets the same error.',
    cause:
      'The provider answered with an error of its own, or not in time. The reason says which. A request that could not be sent at all does not end like this.',
    payment: 'kept',
    retry: 'stop',
  },
  passengers_refused: {
    status: 422,
    message:
      'The flight provider does not take this group of passengers: usually at most nine adults and children together, and no more infants than adults. Nothing was charged. Search for smaller groups.',
    cause: 'The provider refused the group when it was asked before the payment.',
    payment: 'none',
    retry: 'fix_input',
  },
  offer_not_found: {
    status: 404,
    message:
      'There is no flight offer with this ID, or it has expired. Offers last about 30 minutes. Nothing was charged. Search again for new offers.',
    cause: 'The airline withdrew the offer, it is older than about 30 minutes, or the ID has a typing error.',
    payment: 'none',
    retry: 'stop',
  },
});
