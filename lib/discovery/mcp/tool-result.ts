import type { Operation } from '@/lib/catalog/operation';
import type { ApiResponse } from '@/lib/http/api-message';
import { challengesIn, mppMeta, mppReceiptIn } from '@/lib/payments/mpp/mpp-over-mcp';
import { receiptIn, toolChallenge, x402Meta } from '@/lib/payments/x402/x402-over-mcp';
import { isJsonObject } from '@/lib/platform/json';

/** The result of `tools/call`. */
export interface ToolResult extends Readonly<Record<string, unknown>> {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Response headers that results carry in `_meta`. */
const factHeaders: Readonly<Record<string, string>> = {
  'Paid-Call-Id': 'tuppence/paid-call-id',
  'Paid-Call-Receipt': 'tuppence/receipt',
  'Request-Id': 'tuppence/request-id',
  'Idempotent-Replayed': 'tuppence/replayed',
  'Retry-After': 'tuppence/retry-after-seconds',
  Source: 'tuppence/source',
  Sandbox: 'tuppence/sandbox',
  'Unsupported-Characters': 'tuppence/unsupported-characters',
  'Cut-Content': 'tuppence/cut-content',
};

/**
 * The result that says the same as a response. The first text is the whole response, because some clients drop structured
 * content.
 */
export function toolResult({ status, headers, body }: ApiResponse): ToolResult {
  const text = body ?? '';
  const parsed: unknown = JSON.parse(text);
  return {
    content: [{ type: 'text', text }],
    ...(isJsonObject(parsed) ? { structuredContent: parsed } : {}),
    ...(status < 300 ? {} : { isError: true as const }),
    _meta: metaOf(headers),
  };
}

function metaOf(headers: ApiResponse['headers']): Record<string, unknown> {
  const facts = Object.entries(factHeaders).flatMap(([header, key]) => {
    const value = headers[header];
    return value === undefined ? [] : [[key, value]];
  });
  const x402 = receiptIn(headers);
  const mpp = mppReceiptIn(headers);
  return {
    ...Object.fromEntries(facts),
    ...(x402 ? { [x402Meta.receipt]: x402 } : {}),
    ...(mpp ? { [mppMeta.receipt]: mpp } : {}),
  };
}

/**
 * The result that asks for a payment, in one form for clients of both protocols: x402 reads the structured content, MPP reads
 * `_meta`. The text is for the model, which pays for every word.
 * @param x402 the 402 of the x402 rail; null when the call brought an MPP credential
 * @param mpp the 402 of the MPP rail; null when the tool has no such rail, or the call brought an x402 payment
 * @param isRejected whether the call brought a payment that was not accepted
 */
export function paymentRequired(
  operation: Operation,
  name: string,
  x402: ApiResponse | null,
  mpp: Pick<ApiResponse, 'headers' | 'body'> | null,
  isRejected: boolean,
): ToolResult {
  const challenge = x402?.body
    ? toolChallenge(x402.body, name)
    : (JSON.parse(mpp?.body ?? '{}') as Record<string, unknown>);
  const challenges = mpp ? challengesIn(mpp.headers) : [];
  return {
    content: [{ type: 'text', text: explain(operation, isRejected ? reasonIn(challenge) : null) }],
    structuredContent: challenge,
    isError: true,
    _meta: {
      ...metaOf({ ...mpp?.headers, ...x402?.headers }),
      ...(challenges.length > 0 ? { [mppMeta.challenges]: { challenges } } : {}),
    },
  };
}

/** For assistants whose client cannot pay. */
function explain({ price, paths }: Operation, reason: string | null): string {
  const rejected = reason === null ? '' : `The payment was not accepted: ${reason}. `;
  const means = paths.account
    ? 'The client of this server can pay it from a wallet, or a person can set the bearer token of a prepaid account.'
    : 'The client of this server can pay it from a wallet.';
  return `${rejected}This call costs ${price} USDC. Nothing was charged. ${means}`;
}

/** Why a payment was not accepted, in the terms of its protocol. */
function reasonIn({ error, detail }: Readonly<Record<string, unknown>>): string {
  const reason = [error, detail].find((one) => typeof one === 'string');
  return String(reason ?? 'see the terms').replace(/\.$/, '');
}
