import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm';
import { x402Client } from '@x402/fetch';
import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import type { SignedPayment } from '../account/state';
import { atomicOf, decimalOf } from '../calls/usdc';

/** Why nothing was signed. */
interface NotSigned {
  readonly code: 'payment_not_offered' | 'price_above_limit';
  readonly message: string;
}

/** The terms of a 402; undefined if the header is not valid. */
export function readTerms(header: string): PaymentRequired | undefined {
  try {
    return decodePaymentRequiredHeader(header);
  } catch {
    return undefined;
  }
}

/** What is read from an EIP-3009 payment. */
const authorized = z.object({
  payload: z.object({ authorization: z.object({ validBefore: z.string().regex(/^\d{1,12}$/) }) }),
});

/**
 * Signs a payment with the official client, which knows USDC on each network and pays in nothing else.
 * @param price USDC, decimal; nothing above it is signed, whatever the service asks for
 */
export async function signPayment(
  account: PrivateKeyAccount,
  terms: PaymentRequired | undefined,
  price: string,
  network: `eip155:${string}` | undefined,
): Promise<SignedPayment | NotSigned> {
  const offers = (terms?.accepts ?? []).filter((offer) =>
    network ? offer.network === network : offer.network.startsWith('eip155:'),
  );
  const [first] = offers;
  if (!terms || !first) return notOffered(terms, network);
  const priceMax = atomicOf(price) ?? 0n;
  if (!offers.some(({ amount }) => /^\d+$/.test(amount) && BigInt(amount) <= priceMax))
    return tooDear(first.amount, price);
  const client = new x402Client()
    .register(network ?? 'eip155:*', new ExactEvmScheme(account))
    .setSpendControls({ maxAmountPerPayment: `$${price}` });
  try {
    const payment = await client.createPaymentPayload(terms);
    const { validBefore } = authorized.parse(payment).payload.authorization;
    return {
      header: encodePaymentSignatureHeader(payment),
      validBefore: new Date(Number(validBefore) * 1000).toISOString(),
    };
  } catch {
    return notOffered(terms, network);
  }
}

function notOffered(terms: PaymentRequired | undefined, network: string | undefined): NotSigned {
  const offered = [...new Set((terms?.accepts ?? []).map((offer) => offer.network))].join(', ') || 'nothing';
  const wanted = network ?? 'an EVM network';
  return {
    code: 'payment_not_offered',
    message: `The service does not take USDC from a wallet on ${wanted} in a way that this client knows. It offers ${offered}. Set TUPPENCE_NETWORK to one of these. Nothing was charged.`,
  };
}

function tooDear(amount: string, price: string): NotSigned {
  const asked = /^\d{1,18}$/.test(amount) ? decimalOf(BigInt(amount)) : 'more';
  return {
    code: 'price_above_limit',
    message: `The service asks for ${asked} USDC, and this version of the client knows a price of ${price} USDC. Nothing was signed or charged. Update the client.`,
  };
}
