import type { z } from 'zod';
import { type CodeWithPayment, type ErrorCode, errors, type PaymentOutcome } from './codes';
import type { errorBody } from './schema';

type ErrorFields = z.output<typeof errorBody>['error'];

/** One thing that is wrong with the input: where, and which rule it breaks. It never repeats the input. */
export interface Issue {
  readonly path: string;
  readonly rule: string;
}

/** An error lists only the first few issues: enough to go on with, and bounded for hostile input. */
export const issuesMax = 3;

/** When to try again what is usually possible after a moment: the Retry-After of most errors. */
export const retryAfterSeconds = 2;

/** The codes whose errors must name a paid call. */
type CodeAboutMoney = CodeWithPayment<Exclude<PaymentOutcome, 'none'>>;

interface Details {
  /** A second, finer code, such as `invalid_json`. */
  readonly reason?: string;
  readonly issues?: readonly Issue[];
  /** A valid input, where that helps. */
  readonly example?: unknown;
  /** Replaces the message from the table of errors. */
  readonly message?: string;
  readonly paidCallId?: string;
  readonly retryAfterSeconds?: number;
  /** Further headers of the response, such as those about a limit. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For insufficient_balance: the balance, the price and where to top up. */
  readonly account?: NonNullable<ErrorFields['account']>;
  /** For the log only; never serialized. */
  readonly cause?: unknown;
}

/** Tells an ApiError in all of the framework's bundles, each of which has its own class. */
const mark = Symbol.for('tuppence.ApiError');

/** An error that callers see. Any other exception becomes a plain 500. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly payment: PaymentOutcome;
  readonly reason?: string;
  readonly issues: readonly Issue[];
  readonly example?: unknown;
  readonly paidCallId?: string;
  readonly retryAfterSeconds?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly account?: ErrorFields['account'];

  constructor(
    code: Code,
    ...[details]: Code extends CodeAboutMoney ? [Details & { paidCallId: string | undefined }] : [Details?]
  ) {
    super(details?.message ?? errors[code].message, { cause: details?.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = errors[code].status;
    this.payment = errors[code].payment;
    this.reason = details?.reason;
    this.issues = (details?.issues ?? []).slice(0, issuesMax);
    this.example = details?.example;
    this.paidCallId = details?.paidCallId;
    this.retryAfterSeconds = details?.retryAfterSeconds;
    this.headers = details?.headers ?? {};
    this.account = details?.account;
  }

  get [mark](): true {
    return true;
  }
}

/** Whether a value is an ApiError with any code. */
export function isApiError(value: unknown): value is ApiError {
  return value instanceof Error && mark in value;
}

/** Input that breaks the rules of its schema, or rules that no schema can express. */
export function invalidInput(issues: readonly Issue[]): ApiError {
  return new ApiError('invalid_input', { reason: 'invalid_input', issues });
}
