import { decodePaymentRequiredHeader } from '@x402/core/http';
import { parsePaymentRequired } from '@x402/core/schemas';
import { Challenge } from 'mppx';
import type { Hex } from 'viem';
import { z } from 'zod';
import type { LocalChain } from './chain';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

const requirement = z.looseObject({
  scheme: z.literal('exact'),
  network: z.string(),
  amount: z.string().regex(/^[0-9]{1,30}$/),
  asset: address,
  payTo: address,
  maxTimeoutSeconds: z.number().positive(),
  extra: z.looseObject({ name: z.string(), version: z.string() }),
});

/** The entry of `accepts` for USDC on the local chain, as the seller wrote it. */
export type Requirement = z.infer<typeof requirement>;

/** What a seller takes over x402. */
export interface X402Offer {
  readonly requirement: Requirement;
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly resource: unknown;
  readonly price: bigint;
  readonly payee: Hex;
}

const charge = z.looseObject({
  amount: z.string().regex(/^[0-9]{1,30}$/),
  currency: address,
  recipient: address,
  methodDetails: z.looseObject({ chainId: z.number(), credentialTypes: z.array(z.string()).optional() }),
});

/** A challenge that takes USDC on the local chain. */
export interface MppOffer {
  readonly challenge: Challenge.Challenge;
  readonly price: bigint;
  readonly payee: Hex;
}

const asHex = (text: string): Hex => `0x${text.slice(2)}`;

/** Reads the x402 challenge of an answer; null if it has none for this chain. */
export function readX402Offer(answer: { readonly headers: Headers }, chain: LocalChain): X402Offer | null {
  const header = answer.headers.get('payment-required');
  if (header === null || header.length > 64_000) return null;
  let decoded: unknown;
  try {
    decoded = decodePaymentRequiredHeader(header);
  } catch {
    return null;
  }
  const required = parsePaymentRequired(decoded);
  if (!required.success || required.data.x402Version !== 2) return null;
  for (const entry of required.data.accepts) {
    const { success, data } = requirement.safeParse(entry);
    if (!success || data.network !== chain.network) continue;
    if (data.asset.toLowerCase() !== chain.usdc.toLowerCase()) continue;
    return {
      requirement: data,
      extensions: required.data.extensions ?? {},
      resource: 'resource' in required.data ? required.data.resource : undefined,
      price: BigInt(data.amount),
      payee: asHex(data.payTo),
    };
  }
  return null;
}

/** Reads the MPP challenge of an answer; null if it has none for this chain. */
export function readMppOffer(answer: { readonly headers: Headers }, chain: LocalChain): MppOffer | null {
  const header = answer.headers.get('www-authenticate');
  if (header === null || header.length > 64_000) return null;
  let challenges: Challenge.Challenge[];
  try {
    challenges = Challenge.fromResponseList(new Response(null, { status: 402, headers: answer.headers }));
  } catch {
    return null;
  }
  for (const challenge of challenges) {
    const { success, data } = charge.safeParse(challenge.request);
    if (!success || challenge.method !== 'evm' || challenge.intent !== 'charge') continue;
    if (`eip155:${data.methodDetails.chainId}` !== chain.network) continue;
    if (data.currency.toLowerCase() !== chain.usdc.toLowerCase()) continue;
    if (data.methodDetails.credentialTypes?.includes('authorization') === false) continue;
    return { challenge, price: BigInt(data.amount), payee: asHex(data.recipient) };
  }
  return null;
}
