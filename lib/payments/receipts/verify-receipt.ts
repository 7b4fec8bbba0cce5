import { createPublicKey, verify as verifySignature } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '@/lib/platform/json';
import { didOf, jwkOf, keyUrlOf } from './did';
import { digestOfAnswer, digestOfRequest, type Receipt, receiptSchema } from './receipt';
import type { PublicReceiptKey } from './receipt-keys';

/** Several times the length of our receipts. */
const lengthMax = 8_192;

/** What a receipt is compared with, as far as the caller has it. */
export interface Evidence {
  readonly request?: { readonly method: string; readonly path: string; readonly body: Uint8Array };
  readonly answer?: Uint8Array;
}

/** Why a receipt is not valid, in words for people. */
export const problemWords = {
  unreadable: 'It is not a receipt of this service, or only a part of one.',
  other_issuer: 'It names another service as its issuer.',
  unknown_key: 'It names a key that this service never had, or has revoked.',
  wrong_signature: 'Its signature is wrong, so something in it was changed, or somebody else wrote it.',
} as const;
export type Problem = keyof typeof problemWords;

/** The result of a comparison; null when there was nothing to compare. */
export type Match = boolean | null;

export type Verdict =
  | { readonly isValid: false; readonly problem: Problem }
  | {
      readonly isValid: true;
      readonly receipt: Receipt;
      readonly key: PublicReceiptKey;
      readonly request: Match;
      readonly answer: Match;
    };

const headerSchema = z.object({ alg: z.literal('EdDSA'), kid: z.string() });
const envelopeSchema = z.object({
  extensions: z.object({
    'offer-receipt': z.object({ info: z.object({ receipt: z.object({ signature: z.string() }) }) }),
  }),
});
const mppSchema = z.object({ signedReceipt: z.string() });

/** JSON in base64 or base64url; undefined when it is neither. */
function decodeJson(text: string): unknown {
  return parseJson(Buffer.from(text, 'base64').toString('utf8'));
}

/**
 * The receipt in a caller's text: a compact JWS, or the value of a PAYMENT-RESPONSE or Payment-Receipt header.
 * @returns null when there is none in it
 */
function findReceipt(text: string): string | null {
  const given = text.trim();
  if (given.length > lengthMax) return null;
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(given)) return given;
  const decoded = decodeJson(given);
  const envelope = envelopeSchema.safeParse(decoded);
  if (envelope.success) return envelope.data.extensions['offer-receipt'].info.receipt.signature;
  return mppSchema.safeParse(decoded).data?.signedReceipt ?? null;
}

/**
 * Verifies a receipt of this service, without asking anybody.
 * @param keys the published keys
 */
export function verifyReceipt(
  publicUrl: string,
  keys: readonly PublicReceiptKey[],
  text: string,
  { request, answer }: Evidence = {},
): Verdict {
  const invalid = (problem: Problem) => ({ isValid: false, problem }) as const;
  const [head = '', body = '', signature = ''] = findReceipt(text)?.split('.') ?? [];
  const header = headerSchema.safeParse(decodeJson(head));
  if (!header.success) return invalid('unreadable');
  const { kid } = header.data;
  if (!kid.startsWith(`${didOf(publicUrl)}#`)) return invalid('other_issuer');
  const key = keys.find(({ id }) => keyUrlOf(publicUrl, id) === kid);
  if (!key) return invalid('unknown_key');
  const publicKey = createPublicKey({ key: jwkOf(publicUrl, key), format: 'jwk' });
  const isSigned = verifySignature(
    null,
    Buffer.from(`${head}.${body}`),
    publicKey,
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) return invalid('wrong_signature');
  const receipt = receiptSchema.safeParse(decodeJson(body));
  // An offer is signed with the same key.
  if (!receipt.success) return invalid('unreadable');
  return {
    isValid: true,
    receipt: receipt.data,
    key,
    request: matches(
      receipt.data.requestDigest,
      request && digestOfRequest(request.method, request.path, request.body),
    ),
    answer: matches(receipt.data.answerDigest, answer && digestOfAnswer(answer)),
  };
}

function matches(stated: string | undefined, found: Buffer | undefined): Match {
  return found === undefined || stated === undefined ? null : found.toString('hex') === stated;
}
