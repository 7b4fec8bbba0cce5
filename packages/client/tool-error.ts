import type { adapterErrorCodes } from '@/lib/catalog/adapter';
import type { clientErrorCodes } from '@/lib/catalog/client';
import type { NextStep, PaymentOutcome } from '@/lib/catalog/errors/codes';

/** The adapter's and the client's own error codes. All other codes come from the service. */
type LocalCode = (typeof adapterErrorCodes)[number] | (typeof clientErrorCodes)[number];

export interface ToolErrorFacts {
  readonly code: string;
  readonly message: string;
  /** What happened to the money of the call. */
  readonly payment: PaymentOutcome;
  readonly retry: NextStep;
  readonly issues?: readonly { readonly path: string; readonly rule: string }[];
  readonly account?: unknown;
  readonly paidCallId?: string;
  readonly requestId?: string;
  readonly docs?: string;
}

/** A failed tool call, with what happened to the money. */
export class ToolError extends Error {
  constructor(
    readonly facts: ToolErrorFacts,
    options?: ErrorOptions,
  ) {
    super(facts.message, options);
  }
}

/** An error of the adapter itself, before anything was sent, so nothing was charged. */
export function refuse(
  code: LocalCode,
  message: string,
  options: { retry?: NextStep; issues?: ToolErrorFacts['issues']; cause?: unknown } = {},
): ToolError {
  const { retry = 'fix_input', issues, cause } = options;
  return new ToolError(
    { code, message: `${message} Nothing was charged.`, payment: 'none', retry, issues },
    { cause },
  );
}
