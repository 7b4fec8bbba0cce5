import type { Operation } from '@/lib/catalog/operation';
import type { ChallengeRequest } from '@/lib/payments/rail';
import { readInput } from './body';

/**
 * The operation with the price of this request. Where the caller names the price, the body contains it and so is read
 * before the challenge. A request without a body gets a challenge for the minimum.
 * @throws ApiError invalid_input (400) when the body has no valid price, or body_too_large (413)
 */
export async function withRequestedPrice<Op extends Operation>(
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
