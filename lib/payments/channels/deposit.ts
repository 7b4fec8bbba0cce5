import { type ChannelConfig, ERC3009_DEPOSIT_COLLECTOR_ADDRESS } from '@x402/evm';
import type { Hex } from 'viem';
import { z } from 'zod';
import {
  canonicalSignature,
  receiveDigest,
  recoverSigner,
  secondsLeftMin,
  validBeforeMax,
} from '@/lib/payments/evm/authorization';
import { keccak256 } from '@/lib/payments/evm/keccak';
import type { EvmSigned } from '@/lib/payments/payment';
import type { ChannelTerms } from './terms';

/** A deposit into a channel, signed by its payer (EIP-3009's ReceiveWithAuthorization) to the collector. */
export interface ChannelDeposit {
  readonly amountAtomic: bigint;
  /** What the token knows the deposit by. Its nonce binds it to the channel. */
  readonly authorization: EvmSigned['authorization'];
  /** Of the nonce: the collector computes it again. */
  readonly salt: Hex;
  readonly signature: Hex;
}

const uint256 = z.string().regex(/^(0|[1-9][0-9]{0,76})$/);
const hex = (bytes: number) =>
  z
    .templateLiteral(['0x', z.string().regex(new RegExp(`^[0-9a-fA-F]{${bytes * 2}}$`))])
    .transform((value) => value.toLowerCase() as Hex);

/** Deposits through Permit2 are not taken: they need an approval, and another collector. */
export const depositSchema = z.object({
  amount: z
    .string()
    .regex(/^[1-9][0-9]{0,37}$/)
    .transform(BigInt),
  authorization: z.object({
    erc3009Authorization: z.object({
      validAfter: uint256,
      validBefore: uint256,
      salt: hex(32),
      signature: hex(65),
    }),
    permit2Authorization: z.undefined().optional(),
  }),
});

/**
 * Verifies what a payer signed for a deposit. Amounts outside of the limits are refused here, before any gas is spent.
 * @returns the deposit, or the reason code of a refusal
 */
export function readDeposit(
  terms: ChannelTerms,
  { amount, authorization: { erc3009Authorization: signed } }: z.output<typeof depositSchema>,
  { config, channelId, now }: { config: ChannelConfig; channelId: Hex; now: Date },
): ChannelDeposit | string {
  if (amount < terms.depositMinAtomic) return 'invalid_batch_settlement_evm_deposit_below_min_deposit';
  if (amount > terms.depositMaxAtomic) return 'invalid_batch_settlement_evm_deposit_above_max_deposit';
  const seconds = BigInt(Math.floor(now.getTime() / 1000));
  const validBefore = BigInt(signed.validBefore);
  if (validBefore < seconds + secondsLeftMin || validBefore > validBeforeMax(seconds, maxTimeoutSeconds))
    return 'invalid_exact_evm_payload_authorization_valid_before';
  if (BigInt(signed.validAfter) > seconds) return 'invalid_exact_evm_payload_authorization_valid_after';
  const authorization = {
    from: config.payer,
    to: ERC3009_DEPOSIT_COLLECTOR_ADDRESS,
    value: amount.toString(),
    validAfter: signed.validAfter,
    validBefore: signed.validBefore,
    nonce: depositNonce(channelId, signed.salt),
  } as const;
  const signature = canonicalSignature(signed.signature);
  const signer = recoverSigner(receiveDigest(terms.offer, authorization), signature);
  if (signer !== config.payer.toLowerCase()) return 'invalid_exact_evm_signature';
  return { amountAtomic: amount, authorization, salt: signed.salt, signature };
}

/** How long the official client makes a deposit valid: `maxTimeoutSeconds` of the offer. */
const maxTimeoutSeconds = 300;

/** keccak256(abi.encode(channelId, salt)): both are one word. */
function depositNonce(channelId: Hex, salt: Hex): Hex {
  return `0x${keccak256(Buffer.from(channelId.slice(2) + salt.slice(2), 'hex')).toString('hex')}`;
}
