import type { NextStep, PaymentOutcome } from '@/lib/catalog/errors';

/** What the adapter itself can object to, as docs/mcp.md lists it; every other code is one of the service's. */
export const localCodes = [
  'invalid_input',
  'file_refused',
  'spending_cap_reached',
  'service_unreachable',
  'outcome_unknown',
  'file_not_sent',
  'slot_lapsed',
  'answer_not_understood',
  'local_state_unusable',
  'internal_error',
] as const;
type LocalCode = (typeof localCodes)[number];

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
