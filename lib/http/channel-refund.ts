import { ApiError, isApiError } from '@/lib/catalog/errors/api-error';
import type { RefundRequests } from '@/lib/payments/channels/channel-refund-requests';
import type { RefundWait } from '@/lib/payments/channels/channel-refund-rules';
import type { Platform } from '@/lib/platform/platform';
import type { ApiRequest } from './api-message';
import { clientAddressOf } from './client-address';
import type { FreeAnswer } from './free-call';
import type { RateLimits } from './rate-limit';
import { respondJson } from './respond';

interface ChannelRefundDeps extends Pick<Platform, 'settings' | 'clock'> {
  readonly rateLimits: RateLimits;
  readonly clientAddressHeader: string;
}

/** How soon a client may ask again about the outcome of its refund. */
const askAgainSeconds = 10;

const withdraw = 'or withdraw from the contract yourself. Nothing was charged.';

const waits: Record<RefundWait, string> = {
  daily: `A wallet gets one refund a day, because each costs gas. Ask again after the seconds in Retry-After, ${withdraw}`,
  in_use: `The channel paid for a call a moment ago, and its newest voucher is public, so anybody can send it. Ask again after the seconds in Retry-After, or at once with the voucher of one more call, ${withdraw}`,
  unearned: `Too many channels that have not paid for the gas of their refunds were refunded. Ask again after the seconds in Retry-After, ${withdraw}`,
};

/**
 * `GET /v1/channels/refund`: pays back what is left in a payment channel.
 * @param answerRefund null where no transactions can be sent
 */
export async function answerChannelRefund(
  app: ChannelRefundDeps,
  answerRefund: RefundRequests['answer'] | null,
  request: ApiRequest,
): Promise<FreeAnswer> {
  if (!answerRefund) throw new ApiError('not_found');
  const countUnearned = async () => {
    const { refusal } = await app.rateLimits.countUnearnedRefund(clientAddressOf(app, request));
    if (refusal) throw refusal;
  };
  const answer = await answerRefund(request.headers, countUnearned).catch((cause: unknown) => {
    if (isApiError(cause)) throw cause;
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
          'Too many channels that have not paid for the gas of their refunds are being refunded. Nothing is promised yet. Send the same request again, or withdraw from the contract yourself.',
        retryAfterSeconds: askAgainSeconds,
      });
    case 'too_soon': {
      const seconds = Math.ceil((answer.until.getTime() - app.clock.now()) / 1_000);
      throw new ApiError('rate_limited', {
        message: waits[answer.because],
        retryAfterSeconds: Math.max(1, seconds),
      });
    }
  }
}
