import type { SupportedChain } from '@x402/extensions/sign-in-with-x';
import { about } from '@/lib/catalog/about';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Offer } from '@/lib/payments/network-offers';
import type { NetworkRegistry } from '@/lib/payments/network-registry';
import type { Platform } from '@/lib/platform/platform';
import { issueSignIn, type SignInTerms, signInKey } from './sign-in-message';

/** The chains that a message may name. */
export function supportedChains(offers: readonly Pick<Offer, 'network'>[]): SupportedChain[] {
  return offers.map(({ network }) => ({
    chainId: network.caip2,
    type: network.family === 'evm' ? 'eip191' : 'ed25519',
  }));
}

interface SignInRequest {
  readonly terms: SignInTerms;
  readonly operation: Pick<FreeOperation, 'summary' | 'category'>;
  /** What the caller should do. */
  readonly error: string;
}

/**
 * The x402 document that asks a wallet to sign in: nothing to pay, and a message to sign. Networks that are not offered at
 * the moment are listed too, because signing in makes no payment.
 */
export async function signInChallenge(
  app: Pick<Platform, 'settings' | 'clock' | 'keys'>,
  networks: NetworkRegistry,
  { terms, operation, error }: SignInRequest,
): Promise<object> {
  const { buildSIWxSchema } = await import('@x402/extensions/sign-in-with-x');
  return {
    x402Version: 2,
    error,
    resource: {
      url: terms.uri,
      description: operation.summary,
      mimeType: 'application/json',
      serviceName: about.name,
      tags: [operation.category],
    },
    accepts: [],
    extensions: {
      [signInKey]: {
        info: issueSignIn(app, terms),
        supportedChains: supportedChains(networks.all()),
        schema: buildSIWxSchema(),
      },
    },
  };
}
