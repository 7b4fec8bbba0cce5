import type { RefundRow } from '@/packages/paywall/memory/memory-rows';
import type { World } from '../world';

/** On Solana, blocks of the last 31 slots are not final. */
const forkSlotsMax = 31;

/** Blocks with a refund are removed some times. What they had is mined again, mined later, or lost. */
export function takeRefundsAway(world: World, times: number): void {
  const { clock, database, plan } = world;
  const dice = world.dice('refunds that are taken away');
  let left = times;
  const look = (): void => {
    if (left === 0 || !world.isFaulty) return;
    const included = database.tables.refund.where(
      ({ state, blockNumber }) => state === 'sent' && blockNumber !== null,
    );
    const removed = dice.chance(0.5) && included.some((refund) => remove(refund));
    if (removed) left -= 1;
    clock.after(2_000, look);
  };
  /** @returns whether its block was removed, which is not so once it is final */
  const remove = ({ id, network, blockNumber }: RefundRow): boolean => {
    const { chain, solana } = world;
    const head = network === 'base' ? chain.head.number : (solana?.cluster.view().slot ?? 0);
    const depth = head - Number(blockNumber) + 1;
    if (depth < 1 || depth > (network === 'base' ? world.depthMax : forkSlotsMax)) return false;
    const fate = dice.pick(['returns', 'lost'] as const);
    const isDelayed = dice.chance(0.5);
    world.happens('a refund is taken away', 'chain', `the block of ${id} is removed, ${depth} deep: ${fate}`);
    if (network === 'base') chain.reorganize(depth, { isDelayed, fateOf: () => fate });
    else solana?.cluster.fork(depth);
    return true;
  };
  clock.after(Math.min(40_000, plan.faultyMs), look);
}
