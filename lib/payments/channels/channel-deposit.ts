import { BATCH_SETTLEMENT_ADDRESS, type ChannelConfig, ERC3009_DEPOSIT_COLLECTOR_ADDRESS } from '@x402/evm';
import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbiParameters } from 'viem';
import { z } from 'zod';
import {
  canonicalSignature,
  receiveDigest,
  recoverSigner,
  windowRefusal,
} from '@/lib/payments/evm/authorization';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import { keccak256 } from '@/lib/payments/evm/keccak';
import { batchSettlementAbi } from './batch-settlement-abi';
import type { ChannelTerms } from './channel-terms';

const uint256 = z.string().regex(/^(0|[1-9][0-9]{0,76})$/);
const hex = (bytes: number) =>
  z
    .templateLiteral(['0x', z.string().regex(new RegExp(`^[0-9a-fA-F]{${bytes * 2}}$`))])
    .transform((value) => value.toLowerCase() as Hex);

/** Deposits through Permit2 are not accepted: they need an approval and a different collector. */
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

/** A deposit into a channel, and why it cannot be made now; null when it can, as far as is known without asking the chain. */
interface ReadDeposit {
  readonly deposit: EvmSigned;
  readonly refusal: string | null;
}

/**
 * Reads what a payer signed for a deposit. Amounts outside of the limits are refused here, before any gas is spent.
 * @returns the reason code of a refusal when the signature is not the payer's
 */
export function readDeposit(
  terms: ChannelTerms,
  { amount, authorization: { erc3009Authorization: signed } }: z.output<typeof depositSchema>,
  { config, channelId, now }: { config: ChannelConfig; channelId: Hex; now: Date },
): ReadDeposit | string {
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
  const call = {
    to: BATCH_SETTLEMENT_ADDRESS,
    data: encodeDeposit(config, authorization, signed.salt, signature),
  };
  return {
    deposit: { family: 'evm', authorization, signature, signer: 'key', call },
    refusal: refusalOf(terms, amount, signed, now),
  };
}

function refusalOf(
  { depositMinAtomic, depositMaxAtomic }: ChannelTerms,
  amount: bigint,
  { validAfter, validBefore }: { validAfter: string; validBefore: string },
  now: Date,
): string | null {
  if (amount < depositMinAtomic) return 'invalid_batch_settlement_evm_deposit_below_min_deposit';
  if (amount > depositMaxAtomic) return 'invalid_batch_settlement_evm_deposit_above_max_deposit';
  const seconds = BigInt(Math.floor(now.getTime() / 1000));
  const until = BigInt(validBefore);
  const refusal = windowRefusal(until, seconds, maxTimeoutSeconds);
  if (refusal !== null) return refusal;
  return BigInt(validAfter) > seconds ? 'invalid_exact_evm_payload_authorization_valid_after' : null;
}

const collectorParameters = parseAbiParameters(
  'uint256 validAfter, uint256 validBefore, uint256 salt, bytes signature',
);

/** Anyone may submit it, because the money can only go into the channel. */
function encodeDeposit(
  config: ChannelConfig,
  { value, validAfter, validBefore }: EvmSigned['authorization'],
  salt: Hex,
  signature: Hex,
): Hex {
  const collected = encodeAbiParameters(collectorParameters, [
    BigInt(validAfter),
    BigInt(validBefore),
    BigInt(salt),
    signature,
  ]);
  return encodeFunctionData({
    abi: batchSettlementAbi,
    functionName: 'deposit',
    args: [config, BigInt(value), ERC3009_DEPOSIT_COLLECTOR_ADDRESS, collected],
  });
}

/** How long the official client makes a deposit valid: `maxTimeoutSeconds` of the offer. */
const maxTimeoutSeconds = 300;

/** keccak256(abi.encode(channelId, salt)): both are one word. */
function depositNonce(channelId: Hex, salt: Hex): Hex {
  return `0x${keccak256(Buffer.from(channelId.slice(2) + salt.slice(2), 'hex')).toString('hex')}`;
}
