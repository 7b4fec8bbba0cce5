import { accountErrors } from './accounts';
import type { PaymentOutcome } from './description';
import { fileErrors } from './files';
import { formErrors } from './forms';
import { paymentErrors } from './payment';
import { providerErrors } from './providers';
import { readingErrors } from './reading';
import { renderingErrors } from './rendering';
import { requestErrors } from './request';

export type { NextStep, PaymentOutcome } from './description';

/**
 * Every error that a caller can see, told once: its status, its words, what happened to the money and what to do next.
 * Answers, documentation and OpenAPI are rendered from this table.
 */
export const errors = {
  ...requestErrors,
  ...paymentErrors,
  ...accountErrors,
  ...providerErrors,
  ...fileErrors,
  ...renderingErrors,
  ...formErrors,
  ...readingErrors,
};

export type ErrorCode = keyof typeof errors;

/**
 * The failures with which a paid call may end for good: the payment is kept and the answer says so. A
 * service throws one from `deliver`; nothing else keeps money without delivering.
 */
export const keptFailures: readonly ErrorCode[] = ['upstream_rejected', 'upstream_failed'];

/** The codes that say this about the money of a call; the ledger's own absence is about no call in particular. */
export type CodeWithPayment<Outcome extends PaymentOutcome> = {
  [Code in ErrorCode]: (typeof errors)[Code]['payment'] extends Outcome
    ? Exclude<Code, 'ledger_unavailable'>
    : never;
}[ErrorCode];
