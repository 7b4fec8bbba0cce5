import { decodePaymentResponseHeader } from '@x402/core/http';
import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { z } from 'zod';
import type { ApiHeaders, ToolOffer } from '@/lib/payments/over-mcp';

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

/** The PaymentRequired of a tool: that of its operation, but with the tool as the resource. */
export function toolChallenge(body: string, tool: ToolOffer): Record<string, unknown> {
  const { resource, extensions, ...rest } = challengeBody.parse(JSON.parse(body));
  const described = declareDiscoveryExtension({
    toolName: tool.name,
    inputSchema: { ...tool.inputSchema },
    transport: 'streamable-http',
    example: tool.example,
    output: { example: tool.outputExample },
  });
  return {
    ...rest,
    resource: { ...resource, url: `mcp://tool/${tool.name}` },
    extensions: { ...extensions, ...described },
  };
}

/** The receipt in the headers of a response, as an object; null when there is none. */
export function receiptIn(headers: ApiHeaders): object | null {
  const header = headers['PAYMENT-RESPONSE'];
  return header === undefined ? null : decodePaymentResponseHeader(header);
}
