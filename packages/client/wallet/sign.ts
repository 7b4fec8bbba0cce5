import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm';
import { x402Client } from '@x402/fetch';
import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import type { SignedPayment } from '../account/account-state';
import { atomicOf, decimalOf } from '../calls/usdc';

/** Why nothing was signed. */
interface NotSigned {
  readonly code: 'payment_not_offered' | 'price_above_limit' | 'lifetime_above_limit';
  readonly message: string;
}

/**
 * In seconds. A payment can be charged for as long as it is valid, even one that the service says it refused. The service asks
 * for half of this.
 */
const lifetimeMax = 600;

/** The terms of a 402; undefined if the header is not valid. */
export function readTerms(header: string): PaymentRequired | undefined {
  try {
    return decodePaymentRequiredHeader(header);
  } catch {
    return undefined;
  }
}

/** The fields that are read from an EIP-3009 payment. */
const authorized = z.object({
  payload: z.object({ authorization: z.object({ validBefore: z.string().regex(/^\d{1,12}$/) }) }),
});

/**
 * Signs a payment with the official client, which knows USDC on each network and pays with nothing else.
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
  const accepts = offers.filter(isShort);
  if (accepts.length === 0) return tooLong(first.maxTimeoutSeconds);
  const client = new x402Client()
    .register(network ?? 'eip155:*', new ExactEvmScheme(account))
    .setSpendControls({ maxAmountPerPayment: `$${price}` });
  try {
    const payment = await client.createPaymentPayload({ ...terms, accepts });
    const { validBefore } = authorized.parse(payment).payload.authorization;
    return {
      header: encodePaymentSignatureHeader(payment),
      validBefore: new Date(Number(validBefore) * 1000).toISOString(),
    };
  } catch {
    return notOffered(terms, network);
  }
}

/** `readTerms` does not check types, and the official client would append a string to the time instead of adding a number. */
const isShort = ({ maxTimeoutSeconds }: PaymentRequired['accepts'][number]): boolean =>
  typeof maxTimeoutSeconds === 'number' && maxTimeoutSeconds <= lifetimeMax;

function notOffered(terms: PaymentRequired | undefined, network: string | undefined): NotSigned {
  const offered = [...new Set((terms?.accepts ?? []).map((offer) => offer.network))].join(', ') || 'nothing';
  const wanted = network ?? 'an EVM network';
  return {
    code: 'payment_not_offered',
    message: `The service does not take USDC from a wallet on ${wanted} in a way that this client knows. It offers ${offered}. Set TUPPENCE_NETWORK to one of these. Nothing was charged.`,
  };
}

function tooDear(amount: string, price: string): NotSigned {
  const requested = /^\d{1,18}$/.test(amount) ? decimalOf(BigInt(amount)) : 'more';
  return {
    code: 'price_above_limit',
    message: `The service asks for ${requested} USDC, and this version of the client knows a price of ${price} USDC. Nothing was signed or charged. Update the client.`,
  };
}

function tooLong(seconds: number): NotSigned {
  const requested = typeof seconds === 'number' ? `${seconds} seconds` : 'an unknown time';
  return {
    code: 'lifetime_above_limit',
    message: `The service asks for a payment that stays valid for ${requested}, and this client signs none for more than ${lifetimeMax} seconds. Nothing was signed or charged. Check TUPPENCE_API_URL, or update the client.`,
  };
}
