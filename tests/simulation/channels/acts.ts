import { cumulativeMismatch } from '@/lib/payments/channels/channel';
import { inTime } from '@/lib/platform/concurrency/in-time';
import type { Dice } from '../dice';
import { Account } from '../evm/accounts';
import { settlementAddress } from '../evm/batch-settlement';
import type { Fleet } from '../fleet';
import type { World } from '../world';
import type { ChannelPayer } from './channel-payer';
import { hasEvent } from './contract';
import { withdrawDelayMs } from './terms';

const stranger = new Account('stranger at the contract of channels');
const patienceMs = 25_000;
/** After all faults a claim may wait so long for the fees to fall, which is nothing beside the day of a real withdrawal. */
const feesFallMs = 180_000;
/** What is looked for at moments that come and go is looked for this long, and this often. */
const [lookForMs, lookEveryMs] = [20_000, 300];

/** What payers do with their channels besides paying, and what others do to them, at random moments. */
export class ChannelActs {
  readonly #world: World;
  readonly #fleet: Fleet;
  readonly #dice: Dice;
  #open = 0;

  constructor(world: World, fleet: Fleet) {
    this.#world = world;
    this.#fleet = fleet;
    this.#dice = world.dice('acts with channels');
  }

  /** Whether nobody is in the middle of anything. */
  get isOver(): boolean {
    return this.#open === 0;
  }

  schedule(): void {
    const { channels: plan, faultyMs } = this.#world.plan;
    if (!plan) return;
    const some = (count: number, act: (payer: ChannelPayer, dice: Dice) => void | Promise<void>) => {
      for (let index = 0; index < count; index += 1) {
        const payer = this.#dice.pick(this.#world.channels);
        const dice = this.#world.dice(`act ${act.name} ${index}`);
        this.#open += 1;
        void this.#world.clock
          .sleep(this.#dice.between(1_000, faultyMs))
          .then(() => act(payer, dice))
          .finally(() => {
            this.#open -= 1;
          });
      }
    };
    some(plan.withdrawals, (payer, dice) => this.#withdraw(payer, dice));
    some(plan.refunds, (payer, dice) => this.#askForRefund(payer, dice));
    some(plan.deposits, (payer, dice) => {
      this.#world.happens('a payer deposits alone', payer.name, 'deposits by a transaction of its own');
      payer.depositAlone(`deposit of ${payer.name} at ${this.#world.clock.now()}`, dice);
    });
    some(plan.copies, () => this.#lookFor(() => this.#copy()));
    some(plan.removals, (_, dice) => this.#lookFor(() => this.#remove(dice)));
  }

  /** A payer who withdraws has it at the earliest when the service had its time to claim, without faults. */
  async #withdraw(payer: ChannelPayer, dice: Dice): Promise<void> {
    const { clock, plan, startMs } = this.#world;
    const freeNow = () => payer.onChain.balance - payer.onChain.claimed;
    for (let seconds = 0; seconds < patienceMs / 1_000 && freeNow() === 0n; seconds += 1)
      await clock.sleep(1_000);
    const free = freeNow();
    if (free === 0n || payer.onChain.withdrawing > 0n) return;
    const amount = dice.chance(0.6) ? free : free / 2n;
    this.#world.happens('a payer withdraws', payer.name, `begins to withdraw ${amount} of ${free}`);
    payer.withdraw(amount);
    const noFaultsMs = startMs + plan.faultyMs + feesFallMs - clock.now();
    await clock.sleep(Math.max(withdrawDelayMs + 4_000, noFaultsMs));
    // A reorganization may have taken it away.
    for (let tries = 0; tries < 3 && payer.onChain.withdrawing > 0n; tries += 1) {
      payer.finishWithdrawal();
      await clock.sleep(10_000);
    }
  }

  async #askForRefund(payer: ChannelPayer, dice: Dice): Promise<void> {
    const { clock, log } = this.#world;
    const { balance, claimed } = payer.onChain;
    let payload = payer.refundPayload(dice.chance(0.6) ? null : (balance - claimed) / 2n);
    this.#world.happens('a payer wants a refund', payer.name, 'asks for a refund');
    for (let tries = 0; tries < 4; tries += 1) {
      const process = this.#fleet.any(dice);
      const asking = process.channels?.refund(payload).catch(() => null) ?? Promise.resolve(null);
      const outcome = await inTime(clock, asking, patienceMs, null);
      log.say(payer.name, `its refund at ${process.id}: ${outcome?.kind ?? 'no answer'}`);
      this.#world.coverage.count('channel', `refund ${outcome?.kind ?? 'not answered'}`);
      if (outcome?.kind === 'made' || outcome?.kind === 'too_soon') return;
      if (outcome?.kind === 'refused') {
        if (outcome.reason !== cumulativeMismatch) return;
        const correcting = process.channels?.correct(payer).catch(() => null) ?? Promise.resolve(null);
        payer.correct((await inTime(clock, correcting, patienceMs, null)) ?? {});
        payload = payer.refundPayload(null);
      }
      await clock.sleep(dice.between(1, 8_000));
    }
  }

  /** A stranger sends what we have broadcast, and pays more for its place in the block. */
  #copy(): boolean {
    const { chain } = this.#world;
    const waiting = chain.mempool.hashes().map((hash) => chain.mempool.get(hash));
    const ours = waiting.find((sent) => sent?.to === settlementAddress && !sent.isFree);
    if (!ours) return false;
    this.#world.happens('a stranger sends our claim', 'chain', `a stranger copies ${ours.hash}`);
    chain.act(stranger.address, { to: ours.to, data: ours.data, gas: ours.gas });
    return true;
  }

  /** A block with an event of the contract is removed. */
  #remove(dice: Dice): boolean {
    const { chain } = this.#world;
    let block = chain.head;
    for (let depth = 1; depth <= this.#world.depthMax && block.parent; depth += 1, block = block.parent) {
      if (!hasEvent(block) || !chain.canReorganize(depth) || dice.chance(0.5)) continue;
      const fate = dice.pick(['returns', 'lost'] as const);
      this.#world.happens('a block of channels is removed', 'chain', `${depth} blocks are removed: ${fate}`);
      chain.reorganize(depth, { isDelayed: dice.chance(0.5), fateOf: () => fate });
      return true;
    }
    return false;
  }

  async #lookFor(act: () => boolean): Promise<void> {
    const { clock } = this.#world;
    for (let passed = 0; passed < lookForMs && this.#world.isFaulty; passed += lookEveryMs) {
      if (act()) return;
      await clock.sleep(lookEveryMs);
    }
  }
}
