import { BATCH_SETTLEMENT_ADDRESS, BATCH_SETTLEMENT_DOMAIN, type ChannelConfig } from '@x402/evm';
import { domainSeparator, type Hex } from 'viem';
import { uintWord } from '@/lib/payments/evm/authorization-words';
import { keccak256 } from '@/lib/payments/evm/keccak';

/**
 * The EIP-712 digests that x402's batch settlement contract verifies. Every field of these structs is one word, so an encoded
 * struct is their concatenation. The general encoder takes a hundred times as long, and each voucher needs two digests.
 */

const typeHash = (type: string) => keccak256(Buffer.from(type)).toString('hex');
const channelConfigType = typeHash(
  'ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)',
);
const voucherType = typeHash('Voucher(bytes32 channelId,uint128 maxClaimableAmount)');
const refundType = typeHash('Refund(bytes32 channelId,uint256 nonce,uint128 amount)');
const claimEntryType = 'ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)';
const claimBatchTypeHash = typeHash(`ClaimBatch(ClaimEntry[] claims)${claimEntryType}`);
const claimEntryTypeHash = typeHash(claimEntryType);

/** A row of a claim, as the seller's authorizer signs it. */
export interface ClaimEntry {
  readonly channelId: Hex;
  readonly maxClaimableAtomic: bigint;
  readonly totalClaimedAtomic: bigint;
}

const word = (address: string) => address.slice(2).toLowerCase().padStart(64, '0');
const hashed = (digits: string) => keccak256(Buffer.from(digits, 'hex'));

/** The digests of the contract on one chain. */
export class ChannelDigests {
  readonly #start: Buffer;

  constructor(chainId: number) {
    const domain = { ...BATCH_SETTLEMENT_DOMAIN, chainId, verifyingContract: BATCH_SETTLEMENT_ADDRESS };
    this.#start = Buffer.from(`1901${domainSeparator({ domain }).slice(2)}`, 'hex');
  }

  /** The id of a channel: the digest of its terms. */
  channelId(config: ChannelConfig): Hex {
    const { payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt } = config;
    const addresses = [payer, payerAuthorizer, receiver, receiverAuthorizer, token].map(word).join('');
    return hex(this.#digest(channelConfigType + addresses + uintWord(BigInt(withdrawDelay)) + salt.slice(2)));
  }

  voucher(channelId: Hex, maxClaimableAtomic: bigint): Buffer {
    return this.#digest(voucherType + channelId.slice(2) + uintWord(maxClaimableAtomic));
  }

  refund(channelId: Hex, nonce: bigint, amountAtomic: bigint): Hex {
    return hex(this.#digest(refundType + channelId.slice(2) + uintWord(nonce) + uintWord(amountAtomic)));
  }

  claimBatch(rows: readonly ClaimEntry[]): Hex {
    const entries = rows.map(({ channelId, maxClaimableAtomic, totalClaimedAtomic }) =>
      hashed(
        claimEntryTypeHash + channelId.slice(2) + uintWord(maxClaimableAtomic) + uintWord(totalClaimedAtomic),
      ).toString('hex'),
    );
    return hex(this.#digest(claimBatchTypeHash + hashed(entries.join('')).toString('hex')));
  }

  #digest(struct: string): Buffer {
    return keccak256(Buffer.concat([this.#start, hashed(struct)]));
  }
}

function hex(digest: Buffer): Hex {
  return `0x${digest.toString('hex')}`;
}
