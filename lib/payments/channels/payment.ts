import type { ChannelSigned, Payment } from '@/lib/payments/payment';
import type { ChannelPayload } from './payload';
import type { ChannelTerms } from './terms';

/** Vouchers do not expire. A call that is paid with one must be charged within this time. */
const windowMs = 300_000;

/** A client's channel payload as the payment of a call. @param amountAtomic the price of the call */
export function toChannelPayment(
  { offer }: ChannelTerms,
  { channelId, config, maxClaimableAtomic, signature, deposit }: ChannelPayload,
  amountAtomic: bigint,
  now: Date,
): Payment<ChannelSigned> {
  const until = deposit ? Number(deposit.authorization.validBefore) * 1_000 : now.getTime() + windowMs;
  return {
    network: offer.network.name,
    asset: offer.asset,
    payer: config.payer,
    authorization: `${channelId}:${maxClaimableAtomic}`,
    amountAtomic,
    payTo: offer.payTo,
    validBefore: new Date(Math.min(until, 8.64e15)),
    channelId,
    signed: {
      family: 'channel',
      salt: config.salt,
      maxClaimable: maxClaimableAtomic.toString(),
      signature,
      deposit,
    },
  };
}
