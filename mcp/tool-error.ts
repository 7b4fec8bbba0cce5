import type { adapterErrorCodes } from '@/lib/catalog/adapter';
import type { NextStep, PaymentOutcome } from '@/lib/errors/codes';

/** What the adapter itself can object to; every other code is one of the service's. */
type LocalCode = (typeof adapterErrorCodes)[number];

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

/** A call that did not do what was asked; says what happened to the money, in words and in fields. */
export class ToolError extends Error {
  constructor(
    readonly facts: ToolErrorFacts,
    options?: ErrorOptions,
  ) {
    super(facts.message, options);
  }
}

/** Before anything was sent: nothing can have been charged. */
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
