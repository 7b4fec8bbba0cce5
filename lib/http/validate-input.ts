import { dryRun } from '@/lib/catalog';
import { ApiError, type Issue, isApiError } from '@/lib/catalog/errors/api-error';
import type { CodeWithPayment } from '@/lib/catalog/errors/codes';
import { findCall, nearestCalls } from '@/lib/catalog/names';
import type { Input, Operation } from '@/lib/catalog/operation';
import type { InputCheck } from '@/lib/services/service';
import type { PathParams } from './api-message';
import { readInput, requestHash, usualBodyBytesMax } from './body';

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

export type ValidatedDryRun =
  | {
      readonly kind: 'parsed';
      readonly operation: string;
      readonly payer?: string;
      /** The price that the body names; null when it names none, or an invalid one. */
      readonly price: string | null;
      readonly validated: ValidatedInput;
    }
  | InputRefusal;

/** Parses the body of a dry run, and validates the body in it as the call itself would. */
export async function validateDryRun(
  bytes: Uint8Array,
  checkOf: (operationId: string) => InputCheck | undefined,
): Promise<ValidatedDryRun> {
  try {
    const dryRunInput = readInput(dryRun.check, bytes, {});
    const operation = findCall(dryRunInput.operation);
    if (!operation || !('price' in operation)) {
      const issues = [{ path: 'operation', rule: ruleOf(dryRunInput.operation, operation !== undefined) }];
      return { kind: 'refused', code: 'invalid_input', reason: 'invalid_input', issues };
    }
    const body =
      dryRunInput.body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(dryRunInput.body));
    return {
      kind: 'parsed',
      operation: operation.id,
      payer: dryRunInput.payer,
      price: priceIn(operation, dryRunInput.body),
      validated:
        body.length > (operation.bodyBytesMax ?? usualBodyBytesMax)
          ? { kind: 'refused', code: 'body_too_large', issues: [] }
          : await validateInput(operation, checkOf(operation.id), body, dryRunInput.params),
    };
  } catch (error) {
    return refusalFrom(error, 'invalid_input');
  }
}

function ruleOf(name: string, isFree: boolean): string {
  if (isFree) return 'is the name of a free call, which needs no check';
  const [first = dryRun.check.example.body.operation, ...others] = nearestCalls(name);
  return `must be the name of a paid call, such as ${[first, ...others].join(' or ')}; GET /v1/tools/prices lists all`;
}

/** The price that the body names, for operations that let the caller name it. */
function priceIn({ variablePrice, body: schema }: Operation, body: unknown): string | null {
  if (!variablePrice) return null;
  const parsed = schema.safeParse(body);
  return parsed.success ? String(parsed.data[variablePrice.field]) : null;
}

/** @throws every error that is not a refusal */
function refusalFrom(error: unknown, invalid: CodeWithPayment<'none'>): InputRefusal {
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

/** The error that the caller gets. One about the input itself includes a valid example. */
export function errorFrom(
  { code, reason, issues }: InputRefusal,
  { codes, minimalBody }: Partial<Pick<Operation, 'codes' | 'minimalBody'>>,
): ApiError {
  const isInvalid = code === (codes?.invalidInput ?? 'invalid_input');
  return new ApiError(code, { reason, issues, example: isInvalid ? minimalBody : undefined });
}
