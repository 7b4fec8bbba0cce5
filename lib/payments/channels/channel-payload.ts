import type { ChannelConfig } from '@x402/evm';
import { getAddress, type Hex } from 'viem';
import { z } from 'zod';
import type { ChannelSigned } from '@/lib/payments/channels/channel-signed';
import { canonicalSignature, recoverSigner } from '@/lib/payments/evm/authorization';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import type { Payment } from '@/lib/payments/payment';
import { depositSchema, readDeposit } from './channel-deposit';
import type { ChannelDigests } from './channel-digests';
import { type ChannelTerms, withdrawDelaySeconds } from './channel-terms';

/** A client's signed payload for a channel with us. Its payer is proven, and the contract would accept the voucher. */
export interface ChannelPayload {
  readonly kind: 'voucher' | 'deposit' | 'refund';
  /** Recomputed from the terms, so that a channel has one id whatever the letter case of its addresses. */
  readonly channelId: Hex;
  readonly config: ChannelConfig;
  /** The running total of the channel that we may claim with this voucher. */
  readonly maxClaimableAtomic: bigint;
  /** Canonical: 65 bytes, v of 27 or 28, low s. */
  readonly signature: Hex;
  readonly deposit: EvmSigned | null;
  /** Why the deposit cannot be made now; null when it can, or when there is none. */
  readonly refusal: string | null;
  /** The amount that the payer asks to have refunded; null for everything. */
  readonly refundAtomic: bigint | null;
}

const uint128Max = 2n ** 128n - 1n;
/** The x402 packages accept whatever BigInt() accepts, such as 0x10. Here, each number has only one valid form. */
const uint128 = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,38})$/)
  .transform(BigInt)
  .refine((value) => value <= uint128Max);
const hex = (bytes: number) =>
  z
    .templateLiteral(['0x', z.string().regex(new RegExp(`^[0-9a-fA-F]{${bytes * 2}}$`))])
    .transform((value) => value.toLowerCase() as Hex);
const address = hex(20).transform((value) => getAddress(value));

const common = {
  channelConfig: z.object({
    payer: address,
    payerAuthorizer: address,
    receiver: address,
    receiverAuthorizer: address,
    token: address,
    withdrawDelay: z.number().int(),
    salt: hex(32),
  }),
  voucher: z.object({
    channelId: hex(32),
    maxClaimableAmount: uint128,
    signature: hex(65),
  }),
};

const payloadSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('voucher'), ...common }),
  z.object({ type: z.literal('deposit'), ...common, deposit: depositSchema }),
  z.object({ type: z.literal('refund'), ...common, amount: uint128.optional() }),
]);

/** The reason codes of x402's `batch-settlement` all start like this. */
const reason = (name: string) => `invalid_batch_settlement_evm_${name}`;

/**
 * Reads a payload of `batch-settlement` and verifies everything that needs neither chain nor ledger, exactly as the contract
 * will when the voucher is claimed. A voucher that the contract rejects is worthless, and its row would revert the claims of
 * other channels.
 *
 * Vouchers must be signed with the payer's own key. The contract allows another key, and accepts deposits from anyone through
 * any collector, so a channel alone does not prove that the payer it names knows of it. Uploads and lists belong to payers,
 * so the payer must be proven.
 * @returns the payload, or the reason code of a refusal
 */
export function readChannelPayload(
  terms: ChannelTerms,
  digests: ChannelDigests,
  payload: unknown,
  now: Date,
): ChannelPayload | string {
  const parsed = payloadSchema.safeParse(payload);
  if (!parsed.success) return 'invalid_payload';
  const { channelConfig: config, voucher } = parsed.data;
  const refusal = termsRefusal(terms, config);
  if (refusal !== null) return refusal;
  const channelId = digests.channelId(config);
  if (voucher.channelId !== channelId) return reason('channel_id_mismatch');
  const signature = canonicalSignature(voucher.signature);
  const signer = recoverSigner(digests.voucher(channelId, voucher.maxClaimableAmount), signature);
  if (signer !== config.payer.toLowerCase()) return reason('voucher_signature');
  const read =
    parsed.data.type === 'deposit'
      ? readDeposit(terms, parsed.data.deposit, { config, channelId, now })
      : { deposit: null, refusal: null };
  if (typeof read === 'string') return read;
  return {
    kind: parsed.data.type,
    channelId,
    config,
    maxClaimableAtomic: voucher.maxClaimableAmount,
    signature,
    ...read,
    refundAtomic: parsed.data.type === 'refund' ? (parsed.data.amount ?? null) : null,
  };
}

function termsRefusal({ offer, receiverAuthorizer }: ChannelTerms, config: ChannelConfig): string | null {
  if (config.receiver !== offer.payTo) return reason('receiver_mismatch');
  if (config.receiverAuthorizer !== receiverAuthorizer) return reason('receiver_authorizer_mismatch');
  if (config.token !== offer.asset) return reason('token_mismatch');
  if (config.withdrawDelay !== withdrawDelaySeconds) return reason('withdraw_delay_mismatch');
  return config.payerAuthorizer === config.payer ? null : reason('voucher_signature');
}

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
