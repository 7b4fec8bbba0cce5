import { ApiError } from '@/lib/catalog/errors/api-error';
import type { ApiRequest } from './api-message';
import type { FreeAnswer } from './free-call';
import type { HttpApp } from './http-app';
import { respondJson } from './respond';

/** How soon a client may ask again about the outcome of its refund. */
const askAgainSeconds = 10;

/** `GET /v1/channels/refund`: pays back what is left in a payment channel. */
export async function answerChannelRefund(
  { payments: { channels }, clock }: HttpApp,
  { headers }: ApiRequest,
): Promise<FreeAnswer> {
  if (!channels?.answerRefund) throw new ApiError('not_found');
  const answer = await channels.answerRefund(headers).catch((cause: unknown) => {
    throw new ApiError('service_unavailable', {
      message: 'The channel cannot be read now. Send the same request again.',
      retryAfterSeconds: askAgainSeconds,
      cause,
    });
  });
  switch (answer.kind) {
    case 'challenge':
      return answer.answer;
    case 'made':
      return respondJson(200, answer.body, answer.headers);
    case 'open':
      throw new ApiError('service_unavailable', {
        message:
          'The refund is promised, and its transaction is not in a block yet. Send the same request again: it is made once.',
        retryAfterSeconds: askAgainSeconds,
      });
    case 'busy':
      throw new ApiError('service_unavailable', {
        message:
          'Too many channels that have paid for no call are being refunded. Nothing is promised yet. Send the same request again, or withdraw from the contract yourself.',
        retryAfterSeconds: askAgainSeconds,
      });
    case 'too_soon': {
      const seconds = Math.ceil((answer.until.getTime() - clock.now()) / 1_000);
      throw new ApiError('rate_limited', {
        message:
          'A wallet gets one refund a day, because each costs gas. Ask again after the seconds in Retry-After, or withdraw from the contract yourself. Nothing was charged.',
        retryAfterSeconds: Math.max(1, seconds),
      });
    }
  }
}
