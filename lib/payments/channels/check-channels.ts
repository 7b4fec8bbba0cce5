import { BATCH_SETTLEMENT_ADDRESS, type ChannelConfig, ERC3009_DEPOSIT_COLLECTOR_ADDRESS } from '@x402/evm';
import type { PublicClient } from 'viem';
import type { EvmChain } from '@/lib/payments/evm/evm-chain';
import { isBlockListed } from '@/lib/payments/evm/token-problems';
import { toPrice } from '@/lib/payments/money';
import type { NetworkProblem } from '@/lib/payments/settlers';
import { describeError } from '@/lib/platform/log';
import { batchSettlementAbi } from './batch-settlement-abi';
import { ChannelDigests } from './channel-digests';
import { type ChannelTerms, withdrawDelaySeconds } from './channel-terms';

const contract = { address: BATCH_SETTLEMENT_ADDRESS, abi: batchSettlementAbi } as const;

/** The most that may be spent but unclaimed over all channels, and so the most that is lost if claims fail. Atomic USDC. */
const unclaimedMaxAtomic = 100_000_000n;

/** Channels are not offered while too much is unclaimed. @param unclaimedAtomic the amount spent through vouchers but not claimed */
export function exposureProblems(unclaimedAtomic: bigint): NetworkProblem[] {
  if (unclaimedAtomic <= unclaimedMaxAtomic) return [];
  return [
    {
      message: `${toPrice(unclaimedAtomic)} USDC was spent through payment channels and is not claimed`,
      advice: 'See why claims fail: the log says it, and the settlement key needs gas.',
    },
  ];
}

/**
 * Deposits pass through the contract and its collector, so neither may be on the token's block list.
 * @throws when no RPC answers
 */
export async function blockedContracts(chain: EvmChain): Promise<NetworkProblem[]> {
  const contracts = [BATCH_SETTLEMENT_ADDRESS, ERC3009_DEPOSIT_COLLECTOR_ADDRESS];
  const areBlocked = await Promise.all(contracts.map((address) => isBlockListed(chain, address)));
  return contracts
    .filter((_, index) => areBlocked[index])
    .map((address) => ({
      message: `the contract of payment channels at ${address} is on the block list of the token`,
      advice: 'Remove BATCH_SETTLEMENT, and ask Circle why.',
      isOfToken: true,
    }));
}

/** An RPC's answers about the contract, under names that the operator sees. */
type Answers = Readonly<Record<string, boolean>>;

/**
 * Checks that x402's batch settlement contract is deployed on a network and computes the same digests as we do. With
 * different ones, every payment would seem valid, but no voucher could ever be claimed.
 * @returns why channels cannot be offered; empty when they can
 * @throws when no RPC answers
 */
export async function checkChannels(chain: EvmChain, terms: ChannelTerms): Promise<NetworkProblem[]> {
  const agreed = await chain.unanimous(
    (client) => askContract(client, terms),
    (answers) => JSON.stringify(answers),
  );
  const { name, setting } = terms.offer.network;
  const advice = `Remove BATCH_SETTLEMENT, or correct ${setting}_RPC_URL.`;
  if (agreed === null)
    return [{ message: `the RPCs of ${name} disagree about the batch settlement contract`, advice }];
  const wrong = Object.entries(agreed).flatMap(([what, isRight]) => (isRight ? [] : [what]));
  if (wrong.length === 0) return [];
  return [
    {
      message: `x402's batch settlement contract on ${name} is missing or differs: ${wrong.join(', ')}`,
      advice,
    },
  ];
}

async function askContract(client: PublicClient, terms: ChannelTerms): Promise<Answers> {
  const [settlementCode, collectorCode] = await Promise.all([
    client.getCode({ address: BATCH_SETTLEMENT_ADDRESS }),
    client.getCode({ address: ERC3009_DEPOSIT_COLLECTOR_ADDRESS }),
  ]);
  const codes = { 'settlement code': hasCode(settlementCode), 'collector code': hasCode(collectorCode) };
  return hasCode(settlementCode) ? { ...codes, ...(await compareDigests(client, terms)) } : codes;
}

/** A missing answer is a failure of the RPC, unless it reports that the call reverted or returned no data. */
async function compareDigests(client: PublicClient, terms: ChannelTerms): Promise<Answers> {
  const digests = new ChannelDigests(terms.offer.network.chainId);
  const config = sampleConfig(terms);
  const channelId = digests.channelId(config);
  const [maxClaimableAtomic, totalClaimedAtomic] = [2n ** 127n + 3n, 2n ** 126n + 5n];
  const row = {
    voucher: { channel: config, maxClaimableAmount: maxClaimableAtomic },
    signature: '0x',
    totalClaimed: totalClaimedAtomic,
  } as const;
  const entry = { channelId, maxClaimableAtomic, totalClaimedAtomic };
  const [id, voucher, refund, claim, least, most] = await Promise.all([
    answer(client.readContract({ ...contract, functionName: 'getChannelId', args: [config] })),
    answer(
      client.readContract({
        ...contract,
        functionName: 'getVoucherDigest',
        args: [channelId, maxClaimableAtomic],
      }),
    ),
    answer(
      client.readContract({
        ...contract,
        functionName: 'getRefundDigest',
        args: [channelId, 7n, totalClaimedAtomic],
      }),
    ),
    answer(client.readContract({ ...contract, functionName: 'getClaimBatchDigest', args: [[row, row]] })),
    answer(client.readContract({ ...contract, functionName: 'MIN_WITHDRAW_DELAY' })),
    answer(client.readContract({ ...contract, functionName: 'MAX_WITHDRAW_DELAY' })),
  ]);
  return {
    'channel id': id === channelId,
    'voucher digest': voucher === `0x${digests.voucher(channelId, maxClaimableAtomic).toString('hex')}`,
    'refund digest': refund === digests.refund(channelId, 7n, totalClaimedAtomic),
    'claim digest': claim === digests.claimBatch([entry, entry]),
    'withdraw delay':
      least !== null && most !== null && least <= withdrawDelaySeconds && most >= withdrawDelaySeconds,
  };
}

/** A sample of our terms with a different value in every field, so that no two can be confused. */
function sampleConfig({ offer, receiverAuthorizer }: ChannelTerms): ChannelConfig {
  return {
    payer: '0x1111111111111111111111111111111111111111',
    payerAuthorizer: '0x2222222222222222222222222222222222222222',
    // configuredOffers checksums both, so they start with 0x.
    receiver: offer.payTo as ChannelConfig['receiver'],
    receiverAuthorizer,
    token: offer.asset as ChannelConfig['token'],
    withdrawDelay: withdrawDelaySeconds,
    salt: `0x${'5a'.repeat(32)}`,
  };
}

function hasCode(code: string | undefined): boolean {
  return code !== undefined && code !== '0x';
}

/** The result of a view function; null when the contract lacks that function, or it reverts. */
async function answer<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (/revert|returned no data/i.test(describeError(error).message)) return null;
    throw error;
  }
}
