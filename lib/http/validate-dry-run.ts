import { dryRun } from '@/lib/catalog';
import { findCall, nearestCalls } from '@/lib/catalog/names';
import type { Operation } from '@/lib/catalog/operation';
import type { InputCheck } from '@/lib/services/service';
import { readInput, usualBodyBytesMax } from './body';
import { type InputRefusal, refusalFrom, type ValidatedInput, validateInput } from './validate-input';

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
