import { type Hex, parseEventLogs } from 'viem';
import { batchSettlementAbi as abi } from '@/lib/payments/channels/batch-settlement-abi';
import { named, settlementAddress } from '../evm/batch-settlement';
import type { Block } from '../evm/blocks';
import type { World } from '../world';

/** A channel in the contract. Amounts are atomic USDC. */
export interface OnChain {
  readonly balance: bigint;
  readonly claimed: bigint;
  readonly withdrawing: bigint;
  readonly refunds: bigint;
}

/** What the contract says about a channel at the newest block. */
export function readOnChain({ chain }: World, id: string): OnChain {
  const read = (key: string) => {
    const value = chain.blocks.state.get(key);
    return typeof value === 'bigint' ? value : 0n;
  };
  return {
    balance: read(named.balance(id)),
    claimed: read(named.claimed(id)),
    withdrawing: read(named.withdrawing(id)),
    refunds: read(named.refunds(id)),
  };
}

/** An event of the contract. */
export interface ContractEvent {
  readonly name: string;
  readonly channelId: string | null;
  readonly amount: bigint;
  /** Who sent its transaction. */
  readonly from: string;
}

/** The events of the contract in these blocks, in order. They are read together, because viem hashes the ABI each time. */
export function eventsIn(blocks: readonly Block[]): ContractEvent[] {
  const logs = blocks.flatMap(({ transactions }) =>
    transactions.flatMap((mined) => mined.logs.map((log) => ({ ...log, from: mined.transaction.from }))),
  );
  const own = logs.filter(({ address }) => address === settlementAddress);
  const parsed = own.length === 0 ? [] : parseEventLogs({ abi, logs: own as never, strict: true });
  return parsed.map(({ eventName: name, args, ...log }) => {
    const { channelId, claimAmount, amount }: { channelId?: Hex; claimAmount?: bigint; amount?: bigint } =
      args;
    return {
      name,
      channelId: channelId ?? null,
      amount: claimAmount ?? amount ?? 0n,
      from: (log as never as { from: Hex }).from,
    };
  });
}

/** Whether a block has an event of the contract. */
export function hasEvent({ transactions }: Block): boolean {
  return transactions.some(({ logs }) => logs.some(({ address }) => address === settlementAddress));
}

/** The events of all blocks that the chain has, the oldest first. */
export function eventsOn({ chain }: World): ContractEvent[] {
  const found: Block[] = [];
  for (let block: Block | null = chain.head; block; block = block.parent)
    if (hasEvent(block)) found.unshift(block);
  return eventsIn(found);
}

/** What the contract has paid out to us, in atomic USDC. */
export function paidOutOf(world: World): bigint {
  if (world.channels.length === 0) return 0n;
  return eventsOn(world).reduce((sum, { name, amount }) => (name === 'Settled' ? sum + amount : sum), 0n);
}
