import { parsePaymentPayload } from '@x402/core/schemas';
import type { PaymentPayload } from '@x402/core/types';

const utf8 = new TextDecoder();

/**
 * Decodes a header like the official codec, which is slower because it copies byte by byte. Throws when it is not base64, or
 * not JSON.
 */
function decodeHeader(header: string): unknown {
  const digits = header.length % 4 === 0 ? header.replace(/={1,2}$/, '') : header;
  if (digits.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(digits)) throw new Error('not base64');
  return JSON.parse(utf8.decode(Buffer.from(digits, 'base64')));
}

/** The official clients' x402 v2 envelopes have about 6 KB with our extensions. A passkey's signature adds 2 KB. */
const headerBytesMax = 16 * 1024;

/** The payment in a request, or why its header cannot be read; null when there is none. */
export function readEnvelope(headers: Pick<Headers, 'get'>): PaymentPayload | string | null {
  const header = headers.get('payment-signature') ?? headers.get('x-payment');
  const alias = headers.get('x-payment') ?? header;
  if (header === null) return null;
  // Two different payments in one request are ambiguous.
  if (header !== alias) return 'ambiguous_payment';
  if (header.length > headerBytesMax) return 'payment_too_large';
  return parsePayload(header) ?? 'invalid_payload';
}

/** Decodes an envelope and validates it with the official schema; null when it is not a version 2 payment. */
function parsePayload(header: string): PaymentPayload | null {
  try {
    const parsed = parsePaymentPayload(decodeHeader(header));
    if (!parsed.success || parsed.data.x402Version !== 2 || !('accepted' in parsed.data)) return null;
    // The schema types networks as plain strings with a colon; PaymentPayload brands them.
    return parsed.data as PaymentPayload;
  } catch {
    return null;
  }
}
