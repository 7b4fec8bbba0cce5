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
 * Every error that a caller can see: status, message, what happened to the money and what to do next. Responses,
 * documentation and OpenAPI are made from this table.
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

/** Errors that belong together, in the order in which the documentation shows them. */
export interface ErrorGroup {
  readonly id: string;
  readonly title: string;
  readonly codes: readonly ErrorCode[];
}

const groupOf = (id: string, title: string, group: Partial<typeof errors>): ErrorGroup => ({
  id,
  title,
  // The keys of a part of the table are codes.
  codes: Object.keys(group) as ErrorCode[],
});

export const errorGroups: readonly ErrorGroup[] = [
  groupOf('requests', 'Any request', requestErrors),
  groupOf('payments', 'Payments and paid calls', paymentErrors),
  groupOf('accounts', 'Accounts and sign-in', accountErrors),
  groupOf('providers', 'Providers', providerErrors),
  groupOf('files', 'Uploads and links', fileErrors),
  groupOf('pdfs', 'PDFs', renderingErrors),
  groupOf('forms', 'Forms', formErrors),
  groupOf('reading', 'Page reading', readingErrors),
];

/**
 * The errors that may end a paid call while the payment is kept. A service throws one from `deliver`; nothing else keeps
 * money without delivering.
 */
export const keptFailures: readonly ErrorCode[] = ['upstream_rejected', 'upstream_failed'];

/** The codes with this payment outcome, except `ledger_unavailable`, which is about no particular call. */
export type CodeWithPayment<Outcome extends PaymentOutcome> = {
  [Code in ErrorCode]: (typeof errors)[Code]['payment'] extends Outcome
    ? Exclude<Code, 'ledger_unavailable'>
    : never;
}[ErrorCode];
