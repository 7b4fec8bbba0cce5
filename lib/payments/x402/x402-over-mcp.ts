import { decodePaymentResponseHeader } from '@x402/core/http';
import { z } from 'zod';
import type { ApiHeaders } from '@/lib/payments/rail';
import { signInKey } from '@/lib/payments/sign-in/sign-in-message';

/** Where x402 puts payments and receipts in MCP messages. */
export const x402Meta = { payment: 'x402/payment', receipt: 'x402/payment-response' } as const;

/** The payment header that is equivalent to a payment in `_meta`. */
export function toPaymentHeader(payment: object): { 'payment-signature': string } {
  return { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') };
}

const challengeBody = z.looseObject({
  x402Version: z.literal(2),
  resource: z.looseObject({}),
  extensions: z.looseObject({}),
});

/**
 * The PaymentRequired of a tool: that of its operation, but with the tool as the resource, and without the description of the
 * call for directories, which tools/list has, and without a sign-in, for which x402's MCP transport has no place.
 */
export function toolChallenge(body: string, toolName: string): Record<string, unknown> {
  const { resource, extensions, ...rest } = challengeBody.parse(JSON.parse(body));
  const { bazaar, [signInKey]: signIn, ...others } = extensions;
  return { ...rest, resource: { ...resource, url: `mcp://tool/${toolName}` }, extensions: others };
}

/** The receipt in the headers of a response, as an object; null when there is none. */
export function receiptIn(headers: ApiHeaders): object | null {
  const header = headers['PAYMENT-RESPONSE'];
  return header === undefined ? null : decodePaymentResponseHeader(header);
}
