import type { PaymentRequired } from '@x402/core/types';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { AvailableOffer } from '@/lib/payments/network-registry';
import type { OfferTerms, ReceiptIssuer } from '@/lib/payments/receipts/receipt-issuer';
import { maxTimeoutSeconds, type OfferedRequirements } from './x402-requirements';

/** The x402 extension `offer-receipt`: signed receipts with every paid response, and signed offers on request. */
const extensionName = 'offer-receipt';

/** The extensions of a settlement response with a receipt. */
export function receiptExtension(signature: string) {
  return { [extensionName]: { info: { receipt: { format: 'jws', signature } } } };
}

/** The query parameter that asks for a signed offer. */
export const offerParameter = 'offer';

/**
 * The offer that is requested with `?offer=` and its network's name or CAIP-2 id.
 * @throws ApiError invalid_input when it is not offered
 */
export function wantedOffer(wanted: string, offers: readonly AvailableOffer[]): AvailableOffer {
  const found = offers.find(({ network }) => network.name === wanted || network.caip2 === wanted);
  if (found) return found;
  const rule = `must be a network that is offered now: ${offers.map(({ network }) => network.name).join(', ')}`;
  throw new ApiError('invalid_input', {
    reason: 'invalid_input',
    issues: [{ path: offerParameter, rule }],
  });
}

/**
 * Narrows a 402 to one network and adds the signed offer for it. With signed offers for all networks, many 402s would be too
 * long for a header. Without a signing key, the 402 carries no signed offer.
 */
export async function withSignedOffer(
  issuer: Pick<ReceiptIssuer, 'issueOffer'>,
  challenge: PaymentRequired,
  accepted: OfferedRequirements,
): Promise<PaymentRequired> {
  const { scheme, network, asset, payTo, amount } = accepted;
  const terms: OfferTerms = { scheme, network, asset, payTo, amount };
  const signature = await issuer.issueOffer(challenge.resource.url, terms, maxTimeoutSeconds);
  const offers = [{ format: 'jws', acceptIndex: 0, signature }];
  const signed = signature === null ? {} : { [extensionName]: { info: { offers } } };
  return { ...challenge, accepts: [accepted], extensions: { ...challenge.extensions, ...signed } };
}
