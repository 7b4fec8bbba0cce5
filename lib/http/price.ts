import type { Operation } from '@/lib/catalog/operation';
import type { ChallengeRequest } from '@/lib/payments/rail';
import { readInput } from './body';

/**
 * The operation at the price of one request. Where the caller names the price it stands in the body, which is therefore
 * read before anything is asked for; a request without a body is asked for the least that the operation takes.
 * @throws ApiError invalid_input (400) when the body names no price that is taken, or body_too_large (413)
 */
export async function withItsPrice<Op extends Operation>(
  operation: Op,
  challengeRequest: ChallengeRequest,
): Promise<Op> {
  const { variablePrice } = operation;
  if (!variablePrice) return operation;
  const bytes = await challengeRequest.body();
  if (bytes.length === 0) return operation;
  const { [variablePrice.field]: price } = readInput<Operation>(operation, bytes, {});
  return { ...operation, price: String(price) };
}
