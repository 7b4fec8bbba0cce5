import type { ChannelSigned } from '@/lib/payments/channels/channel-signed';
import type { Payment } from '@/lib/payments/payment';
import type { Channel } from './channel';

/**
 * Channels as they were when a request's voucher was verified, so that the receipt of its call needs no look-up. Each is kept
 * as long as its request.
 */
export class VerifiedChannels {
  readonly #bySigned = new WeakMap<ChannelSigned, Channel>();

  remember({ signed }: Payment<ChannelSigned>, channel: Channel): void {
    this.#bySigned.set(signed, channel);
  }

  /** @returns null for a payment that came with another request, or with a deposit */
  of({ signed }: Payment): Channel | null {
    return (signed.family === 'channel' && this.#bySigned.get(signed)) || null;
  }
}
