import { ApiError, type Issue, isApiError } from '@/lib/catalog/errors/api-error';
import type { CodeWithPayment } from '@/lib/catalog/errors/codes';
import type { Input, Operation } from '@/lib/catalog/operation';
import type { InputCheck } from '@/lib/services/service';
import type { PathParams } from './api-message';
import { readInput, requestHash } from './body';

/** Validates input without any I/O, so that it can run in another thread. Takes and returns plain values. */

export interface InputRefusal {
  readonly kind: 'refused';
  readonly code: CodeWithPayment<'none'>;
  readonly reason?: string;
  readonly issues: readonly Issue[];
}

export type ValidatedInput<Op extends Operation = Operation> =
  | {
      readonly kind: 'accepted';
      readonly input: Input<Op>;
      readonly requestHash: Uint8Array;
      /** For the dry run. */
      readonly warnings: readonly string[];
    }
  | InputRefusal;

/** Parses the input of an operation with its schemas, then runs its service's check. */
export async function validateInput<Op extends Operation>(
  operation: Op,
  check: InputCheck<Op> | undefined,
  bytes: Uint8Array,
  params: PathParams,
): Promise<ValidatedInput<Op>> {
  try {
    const input: Input<Op> = readInput(operation, bytes, params);
    const warnings = (await check?.(input)) ?? [];
    return { kind: 'accepted', input, requestHash: requestHash(operation, input), warnings };
  } catch (error) {
    return refusalFrom(error, operation.codes?.invalidInput ?? 'invalid_input');
  }
}

/**
 * An error as a plain value.
 * @param invalid the code for input that breaks the rules
 * @throws every error that is not a refusal
 */
export function refusalFrom(error: unknown, invalid: CodeWithPayment<'none'>): InputRefusal {
  // The JSON and schema parsers recurse at least once per level.
  if (error instanceof RangeError) {
    const issues = [{ path: 'body', rule: 'is nested too deeply' }];
    return { kind: 'refused', code: invalid, reason: 'invalid_input', issues };
  }
  if (!isApiError(error) || error.payment !== 'none') throw error;
  // Errors whose payment is `none` have one of these codes.
  return {
    kind: 'refused',
    code: error.code as CodeWithPayment<'none'>,
    reason: error.reason,
    issues: error.issues,
  };
}

/** An accepted input, with the hash of the request that the payment will be bound to. */
export interface AcceptedInput<Op extends Operation = Operation> {
  readonly input: Input<Op>;
  readonly requestHash: Buffer;
}

/** The input that was accepted. @throws ApiError why it was not */
export function acceptedFrom<Op extends Operation>(
  validated: ValidatedInput<Op>,
  operation: Op,
): AcceptedInput<Op> {
  if (validated.kind === 'refused') throw errorFrom(validated, operation);
  return { input: validated.input, requestHash: Buffer.from(validated.requestHash) };
}

/** The error that the caller gets. One about the input itself includes a valid example. */
export function errorFrom(
  { code, reason, issues }: InputRefusal,
  { codes, minimalBody }: Partial<Pick<Operation, 'codes' | 'minimalBody'>>,
): ApiError {
  const isInvalid = code === (codes?.invalidInput ?? 'invalid_input');
  return new ApiError(code, { reason, issues, example: isInvalid ? minimalBody : undefined });
}
