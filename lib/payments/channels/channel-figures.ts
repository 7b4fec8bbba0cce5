import type { Payment } from '@/lib/payments/payment';
import type { Channel, ChannelBook } from './channel';

/** A channel's state as reported to a client of x402's `batch-settlement`. Amounts are decimal strings. */
export interface ChannelFigures {
  readonly channelId: string;
  readonly balance: string;
  readonly totalClaimed: string;
  readonly withdrawRequestedAt: number;
  readonly refundNonce: string;
  readonly chargedCumulativeAmount: string;
}

/** @param chargedAtomic the channel's total after a call, if the channel has moved on since */
export function figuresOf(channel: Channel, chargedAtomic = channel.chargedAtomic): ChannelFigures {
  return {
    channelId: channel.id,
    balance: channel.balanceAtomic.toString(),
    totalClaimed: channel.claimedAtomic.toString(),
    withdrawRequestedAt: channel.withdrawalBegunAt,
    refundNonce: channel.refundNonce.toString(),
    chargedCumulativeAmount: chargedAtomic.toString(),
  };
}

/**
 * What a client needs to continue after its voucher was rejected: the state of its channel, and its own last voucher as the
 * proof. Without a voucher, it reads the channel from the chain.
 * @param isPublic whether anyone could have sent the rejected voucher, so that its sender has proven nothing
 */
function correctiveExtra(channel: Channel | null, isPublic: boolean): Record<string, unknown> {
  if (!channel) return {};
  const { chargedAtomic, signature } = channel;
  const channelState = figuresOf(channel);
  if (signature === null || isPublic) return { channelState };
  return { channelState, voucherState: { signedMaxClaimable: chargedAtomic.toString(), signature } };
}

/**
 * The same, for the channel with this id. Someone who has read a voucher on the chain learns nothing about later ones.
 * @param totalAtomic the total of the rejected voucher; null when its sender has proven nothing
 */
export async function correction(
  book: Pick<ChannelBook, 'find' | 'isPublished'>,
  channelId: string,
  totalAtomic: bigint | null,
): Promise<Record<string, unknown>> {
  const isPublic = totalAtomic === null || (await book.isPublished(channelId, totalAtomic));
  return correctiveExtra(await book.find(channelId), isPublic);
}

/** The fields of a PAYMENT-RESPONSE that are specific to channels. */
export interface ChannelReceipt {
  readonly amount: string;
  readonly extra: { readonly chargedAmount: string; readonly channelState?: ChannelFigures };
}

/**
 * The amount charged for a call, which the client adds to its own total. A request that only repeats an earlier call, with
 * another voucher, is charged nothing.
 * @param sent the payment that came with this request
 * @param paid the payment of the call
 */
export function channelReceipt(sent: Payment, paid: Payment, channel: Channel | null): ChannelReceipt {
  const isCharged = sent.authorization === paid.authorization;
  const deposited = sent.signed.family === 'channel' && isCharged ? sent.signed.deposit : null;
  const total = isCharged && paid.authorization.split(':')[1];
  return {
    amount: deposited?.authorization.value ?? '',
    extra: {
      chargedAmount: isCharged ? paid.amountAtomic.toString() : '0',
      ...(channel ? { channelState: figuresOf(channel, total ? BigInt(total) : channel.chargedAtomic) } : {}),
    },
  };
}
