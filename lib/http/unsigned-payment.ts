import { address, createNoopSigner, isAddress } from '@solana/kit';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { ApiError, invalidInput } from '@/lib/catalog/errors/api-error';
import type { Payments } from '@/lib/payments/app-payments';
import { toAtomic } from '@/lib/payments/money';
import { isSolanaOffer } from '@/lib/payments/network-offers';
import { requirementsFor } from '@/lib/payments/x402/x402-requirements';
import type { Platform } from '@/lib/platform/platform';

interface UnsignedPaymentDeps extends Pick<Platform, 'timings'> {
  readonly payments: Payments;
}

/**
 * Makes the Solana transaction that a wallet in a browser signs for a payment: the same as the official client's,
 * without signatures. The server makes it, because it needs a recent blockhash and the page may only connect to this
 * server.
 * @param payer base58 address of the wallet
 * @param amount USDC, decimal
 * @returns base64
 * @throws ApiError invalid_input (400) or service_unavailable (503)
 */
export async function unsignedPayment(
  app: UnsignedPaymentDeps,
  payer: string,
  amount: string,
): Promise<string> {
  if (!isAddress(payer)) {
    const issues = [{ path: 'payer', rule: 'must be a Solana address' }];
    throw invalidInput(issues);
  }
  const offer = app.payments.networks.offered().find(isSolanaOffer);
  if (!offer) throw new ApiError('service_unavailable', { retryAfterSeconds: 30 });
  const signer = createNoopSigner(address(payer));
  const requirements = requirementsFor(offer, toAtomic(amount));
  // The official client makes requests of its own.
  const make = ({ url: rpcUrl }: { readonly url: string }) =>
    new ExactSvmScheme(signer, { rpcUrl }).createPaymentPayload(2, requirements);
  try {
    const limitMs = app.timings.rpc.anyWithinMs;
    const never = () => false;
    const { payload } = await offer.nodes.any(make, { isFinal: never, isRepeated: never, limitMs });
    return String(payload.transaction);
  } catch (cause) {
    throw new ApiError('service_unavailable', { retryAfterSeconds: 5, cause });
  }
}
