import { createHash } from 'node:crypto';
import { z } from 'zod';

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * What a signed receipt states: the members of the x402 extension `offer-receipt`, version 1, followed by the members
 * that bind it to one request and one answer.
 */
export const receiptSchema = z.object({
  version: z.literal(1),
  /** CAIP-2, or `account` for a prepaid account. */
  network: z.string(),
  resourceUrl: z.string(),
  /** The wallet or account that paid. */
  payer: z.string(),
  /** Unix time in seconds. */
  issuedAt: z.number().int(),
  /** The settlement transaction as of when the receipt was issued; empty when none is known. */
  transaction: z.string(),

  operation: z.string(),
  paidCallId: z.string(),
  /** Atomic USDC. */
  amount: z.string(),
  asset: z.string(),
  payTo: z.string(),
  /** See `digestOfRequest`. Left out for a transfer that an operator booked. */
  requestDigest: sha256Hex.optional(),
  /** HTTP status of the answer. 400 or higher: the call failed, and its payment is kept. */
  answerStatus: z.number().int(),
  /** SHA-256 of the body of the first answer, in hexadecimal. Left out for a failure, whose body has an id for each request. */
  answerDigest: sha256Hex.optional(),
});

export type Receipt = z.output<typeof receiptSchema>;

/** The SHA-256 of a request: its method, a space, its path, a line feed, and its body byte by byte. */
export function digestOfRequest(method: string, path: string, body: Uint8Array): Buffer {
  return createHash('sha256').update(`${method} ${path}\n`).update(body).digest();
}

/** The SHA-256 of an answer's body, before any content coding. */
export function digestOfAnswer(body: string | Uint8Array): Buffer {
  return createHash('sha256').update(body).digest();
}
