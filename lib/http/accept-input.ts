import type { Input, Operation } from '@/lib/catalog/operation';
import type { Service } from '@/lib/service';
import { ApiError, isApiError } from './api-error';
import { readInput } from './body';

/** The typed input, when the operation and its service take it; what they refuse is answered with an example. */
export async function acceptInput<Op extends Operation>(
  operation: Op,
  service: Service<Op>,
  body: Uint8Array,
  params: Record<string, string | string[] | undefined>,
): Promise<Input<Op>> {
  try {
    const input = readInput(operation, body, params);
    await service.check?.(input);
    return input;
  } catch (error) {
    const code = operation.codes?.invalidInput ?? 'invalid_input';
    if (!isApiError(error) || error.code !== code) throw error;
    const { reason, issues } = error;
    throw new ApiError(code, { reason, issues, example: operation.minimalBody });
  }
}
