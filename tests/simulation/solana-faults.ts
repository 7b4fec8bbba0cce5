import type { Dice } from './dice';
import type { SolanaPlan } from './plan';
import type { SolanaWorld } from './solana/world';
import type { World } from './world';

/** The most slots that a fork abandons here, and that a node is behind. */
const forkSlotsMax = 31;
const slotsBehindMax = 400;

/** What goes wrong on Solana at random moments, besides single requests and what the cluster does by itself. */
export class SolanaFaults {
  readonly #world: World;
  readonly #solana: SolanaWorld;
  readonly #plan: SolanaPlan;
  readonly #dice: Dice;

  constructor(world: World, solana: SolanaWorld, plan: SolanaPlan) {
    this.#world = world;
    this.#solana = solana;
    this.#plan = plan;
    this.#dice = world.dice('faults of Solana');
  }

  schedule(): void {
    const { plan, clock } = this.#world;
    const some = (count: number, run: () => void) => {
      for (let index = 0; index < count; index += 1)
        clock.after(this.#dice.between(1_000, plan.faultyMs), () => this.#world.isFaulty && run());
    };
    some(this.#plan.forks, () => this.#fork());
    some(this.#plan.nodeFaults, () => this.#disturbNode());
  }

  #fork(): void {
    const slots = this.#dice.between(1, forkSlotsMax);
    this.#world.happens('fork', 'chain', `a fork of Solana abandons ${slots} slots`);
    this.#solana.cluster.fork(slots);
  }

  #disturbNode(): void {
    const { nodes } = this.#solana;
    // What the first of two says is believed while the second does not answer.
    const [node] = nodes;
    if (!node) return;
    const forMs = this.#dice.between(1_000, 25_000);
    const isDown = this.#dice.chance(0.5);
    const slots = this.#dice.between(1, slotsBehindMax);
    const fault = isDown ? 'Solana node down' : 'Solana node lagging';
    this.#world.happens(fault, 'node', isDown ? fault : `${fault} by ${slots} slots`);
    if (isDown) node.isDown = true;
    else node.slotsBehind = () => slots;
    this.#world.clock.after(forMs, () => Object.assign(node, { isDown: false, slotsBehind: null }));
  }
}
