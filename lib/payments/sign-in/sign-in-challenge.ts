import { about } from '@/lib/catalog/about';
import type { FreeReading } from '@/lib/catalog/free-operation';
import type { NetworkRegistry } from '@/lib/payments/network-registry';
import type { Platform } from '@/lib/platform/platform';
import { issueSignIn, signInKey } from './sign-in-message';

interface SignInRequest {
  /** The requested URL, which the message will be valid for. */
  readonly url: string;
  readonly operation: FreeReading;
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
  { url, operation, error }: SignInRequest,
): Promise<object> {
  const { buildSIWxSchema } = await import('@x402/extensions/sign-in-with-x');
  return {
    x402Version: 2,
    error,
    resource: {
      url,
      description: operation.summary,
      mimeType: 'application/json',
      serviceName: about.name,
      tags: [operation.category],
    },
    accepts: [],
    extensions: {
      [signInKey]: {
        info: issueSignIn(app, url),
        supportedChains: networks.all().map(({ network }) => ({
          chainId: network.caip2,
          type: network.family === 'evm' ? 'eip191' : 'ed25519',
        })),
        schema: buildSIWxSchema(),
      },
    },
  };
}
