/** What happened to the money of the call that got this error. */
export const paymentOutcomes = ['none', 'in_flight', 'kept', 'unknown', 'refunded'] as const;
export type PaymentOutcome = (typeof paymentOutcomes)[number];

/** What the caller should do next. */
export const nextSteps = ['fix_input', 'pay', 'same_request', 'later', 'stop'] as const;
export type NextStep = (typeof nextSteps)[number];

export interface ErrorDescription {
  readonly status: number;
  readonly message: string;
  /** Why it happens most often, for the documentation; responses do not contain it. */
  readonly cause: string;
  readonly payment: PaymentOutcome;
  readonly retry: NextStep;
}

/** Declares errors by code, keeping the literal type of each outcome and step. */
export const describeErrors = <T extends Record<string, ErrorDescription>>(entries: T): T => entries;
