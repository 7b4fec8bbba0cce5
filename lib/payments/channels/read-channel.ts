import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import type { Hex, PublicClient } from 'viem';
import type { EvmChain } from '@/lib/payments/evm/evm-chain';
import { batchSettlementAbi } from './batch-settlement-abi';
import type { ChannelState } from './channel';

const contract = { address: BATCH_SETTLEMENT_ADDRESS, abi: batchSettlementAbi } as const;

/**
 * Reads a channel at the newest block. All RPCs that have the block must agree.
 * @throws when none responds, or they disagree
 */
export async function readChannel(chain: EvmChain, channelId: string): Promise<ChannelState> {
  const blockNumber = await chain.client.getBlockNumber({ cacheTime: 0 });
  // Channel ids are 0x and 64 hex characters.
  const state = await chain.unanimous(
    (client) => readAt(client, channelId as Hex, blockNumber),
    (answer) => Object.values(answer).join(),
  );
  if (state === null) throw new Error(`the RPCs of ${chain.offer.network.name} disagree about a channel`);
  return state;
}

async function readAt(client: PublicClient, channelId: Hex, blockNumber: bigint): Promise<ChannelState> {
  const at = { ...contract, args: [channelId], blockNumber } as const;
  const [[balanceAtomic, claimedAtomic], [withdrawingAtomic, withdrawalBegunAt], refundNonce] =
    await Promise.all([
      client.readContract({ ...at, functionName: 'channels' }),
      client.readContract({ ...at, functionName: 'pendingWithdrawals' }),
      client.readContract({ ...at, functionName: 'refundNonce' }),
    ]);
  return { balanceAtomic, claimedAtomic, withdrawingAtomic, withdrawalBegunAt, refundNonce, blockNumber };
}
