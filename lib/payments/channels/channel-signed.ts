import { z } from 'zod';
import { evmSignedSchema, hex } from '@/lib/payments/evm/evm-signed';

const uint128 = z.string().regex(/^(0|[1-9][0-9]{0,38})$/);

/** A voucher of a payment channel (x402's `batch-settlement`), or a deposit into one with the first voucher that it covers. */
export const channelSignedSchema = z.object({
  family: z.literal('channel'),
  /** Distinguishes the channel from the payer's other channels with us. */
  salt: hex(32),
  /** The channel's running total, including this call. Atomic USDC. */
  maxClaimable: uint128,
  /** 65 bytes, low s, v of 27 or 28. */
  signature: hex(65),
  /** The deposit (EIP-3009's ReceiveWithAuthorization, to the contract's collector); null for a voucher alone. */
  deposit: evmSignedSchema.nullable(),
});

export type ChannelSigned = z.output<typeof channelSignedSchema>;
