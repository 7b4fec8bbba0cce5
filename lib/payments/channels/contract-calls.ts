import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import { BaseError, ExecutionRevertedError, encodeFunctionData, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { EvmChain } from '@/lib/payments/evm/evm-chain';
import type { ContractCall } from '@/lib/payments/settlers';
import type { Platform } from '@/lib/platform/platform';
import { batchSettlementAbi } from './batch-settlement-abi';
import { type Channel, sweepFromAtomic } from './channel';
import { ChannelDigests } from './channel-digests';
import type { ChannelTerms } from './channel-terms';

/** Estimates are made on a state that the next block may change. */
const gasReserve = { numerator: 13n, denominator: 10n };

/** A channel, and the total to claim from it: never more than was spent, and never more than its balance. */
export interface ClaimRow {
  readonly channel: Channel;
  readonly signature: Hex;
  readonly totalAtomic: bigint;
}

/** @returns null when there is nothing to claim */
export function claimRow(channel: Channel): ClaimRow | null {
  const { signature, chargedAtomic, balanceAtomic, claimedAtomic } = channel;
  const isCovered = chargedAtomic <= balanceAtomic;
  const totalAtomic = isCovered ? chargedAtomic : balanceAtomic;
  // Vouchers are verified before they are stored, so the signature is hexadecimal.
  return signature !== null && totalAtomic > claimedAtomic
    ? { channel, signature: signature as Hex, totalAtomic }
    : null;
}

/** The payee's calls to the contract, signed by the authorizer, so that any of our keys may send them. */
export class ContractCalls {
  readonly #app: Pick<Platform, 'log'>;
  readonly #terms: ChannelTerms;
  readonly #chain: EvmChain;
  readonly #authorizer: ReturnType<typeof privateKeyToAccount>;
  readonly #digests: ChannelDigests;

  /** @param authorizerKey signs for the payee; `receiverAuthorizer` of the terms is its address */
  constructor(app: Pick<Platform, 'log'>, terms: ChannelTerms, chain: EvmChain, authorizerKey: Hex) {
    this.#app = app;
    this.#terms = terms;
    this.#chain = chain;
    this.#authorizer = privateKeyToAccount(authorizerKey);
    this.#digests = new ChannelDigests(terms.offer.network.chainId);
  }

  /**
   * Claims these rows, and sweeps everything claimed once it is enough. If it cannot be paid out now, because the issuer has
   * blocked the payee, the rows are claimed anyway, so that payers can no longer withdraw them.
   * @param then calls that follow in the same transaction
   * @throws when the contract would revert a claim now, or no RPC answers
   */
  async claim(rows: readonly ClaimRow[], then: readonly Hex[] = []): Promise<ContractCall> {
    const claim = await this.#encodeClaim(rows);
    if (!(await this.#isSweepDue(rows))) return this.together([claim, ...then]);
    const swept = await this.together([claim, this.#encodeSweep(), ...then]).catch(rethrowUnlessReverted);
    if (swept) return swept;
    const call = await this.together([claim, ...then]);
    this.#app.log.error({ network: this.#terms.offer.network.name }, 'claimed funds cannot be paid out');
    return call;
  }

  /**
   * Sweeps everything claimed, without a claim.
   * @returns null when it is too little, or cannot be paid out now
   */
  async sweep(): Promise<ContractCall | null> {
    if (!(await this.#isSweepDue([]))) return null;
    return this.together([this.#encodeSweep()]).catch(rethrowUnlessReverted);
  }

  /** @param number the refund's nonce in the contract, which accepts each nonce once, in order */
  async refund(
    { id, config }: Pick<Channel, 'id' | 'config'>,
    { atomic, number }: { atomic: bigint; number: bigint },
  ): Promise<Hex> {
    // Channel ids are 0x and 64 hex characters.
    const signature = await this.#authorizer.sign({ hash: this.#digests.refund(id as Hex, number, atomic) });
    return encodeFunctionData({
      abi: batchSettlementAbi,
      functionName: 'refundWithSignature',
      args: [config, atomic, number, signature],
    });
  }

  /**
   * Combines calls in one transaction, which executes all of them or none.
   * @throws when the contract would revert it now, or no RPC answers
   */
  async together(calls: readonly Hex[]): Promise<ContractCall> {
    const data = encodeFunctionData({
      abi: batchSettlementAbi,
      functionName: 'multicall',
      args: [calls],
    });
    const gas = await this.#chain.client.estimateGas({ to: BATCH_SETTLEMENT_ADDRESS, data });
    return {
      to: BATCH_SETTLEMENT_ADDRESS,
      data,
      gas: (gas * gasReserve.numerator) / gasReserve.denominator,
    };
  }

  async #encodeClaim(rows: readonly ClaimRow[]): Promise<Hex> {
    const entries = rows.map(({ channel, totalAtomic }) => ({
      channelId: channel.id as Hex,
      maxClaimableAtomic: channel.chargedAtomic,
      totalClaimedAtomic: totalAtomic,
    }));
    const authorizerSignature = await this.#authorizer.sign({ hash: this.#digests.claimBatch(entries) });
    const claims = rows.map(({ channel, signature, totalAtomic }) => ({
      voucher: { channel: channel.config, maxClaimableAmount: channel.chargedAtomic },
      signature,
      totalClaimed: totalAtomic,
    }));
    return encodeFunctionData({
      abi: batchSettlementAbi,
      functionName: 'claimWithSignature',
      args: [claims, authorizerSignature],
    });
  }

  /** Whether the claimed but unswept amount, including these rows, is enough for a sweep. */
  async #isSweepDue(rows: readonly ClaimRow[]): Promise<boolean> {
    const { receiver, token } = this.#parties;
    const [claimed, settled] = await this.#chain.client.readContract({
      address: BATCH_SETTLEMENT_ADDRESS,
      abi: batchSettlementAbi,
      functionName: 'receivers',
      args: [receiver, token],
    });
    const more = rows.reduce((sum, row) => sum + row.totalAtomic - row.channel.claimedAtomic, 0n);
    return claimed - settled + more >= sweepFromAtomic;
  }

  #encodeSweep(): Hex {
    const { receiver, token } = this.#parties;
    return encodeFunctionData({
      abi: batchSettlementAbi,
      functionName: 'settle',
      args: [receiver, token],
    });
  }

  get #parties(): { receiver: Hex; token: Hex } {
    // configuredOffers checksums both, so they start with 0x.
    return { receiver: this.#terms.offer.payTo as Hex, token: this.#terms.offer.asset as Hex };
  }
}

/** Rethrows anything but a revert: a node that does not answer says nothing about a call. */
export function rethrowUnlessReverted(error: unknown): null {
  const isReverted =
    error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError) !== null;
  if (!isReverted) throw error;
  return null;
}
