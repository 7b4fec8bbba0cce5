import { bytesToHex } from 'viem';
import type { Dice } from './dice';
import type { SimulatedNode } from './evm/node';
import { readTransaction } from './evm/raw-transaction';
import type { Fleet } from './fleet';
import { SolanaFaults } from './solana-faults';
import type { World } from './world';

/** What goes wrong at random moments, besides single messages and processes that are killed there. */
export class Faults {
  readonly #world: World;
  readonly #fleet: Fleet;
  readonly #dice: Dice;

  constructor(world: World, fleet: Fleet) {
    this.#world = world;
    this.#fleet = fleet;
    this.#dice = world.dice('faults');
  }

  schedule(): void {
    const { plan, clock } = this.#world;
    const some = (count: number, run: () => void) => {
      for (let index = 0; index < count; index += 1)
        clock.after(this.#dice.between(1_000, plan.faultyMs), () => this.#world.isFaulty && run());
    };
    some(plan.jumps, () => this.#fleet.jump());
    some(plan.restarts, () => void this.#fleet.restart());
    some(plan.databaseCrashes, () => {
      this.#world.happens('database crashes', 'database', 'crashes');
      this.#world.database.crash(this.#dice.chance(0.5) ? undefined : 0);
    });
    some(plan.reorganizations, () => this.#reorganize());
    some(plan.revivals, () => this.#reviveReplaced());
    some(plan.chainFaults, () => this.#disturbChain());
    some(plan.nodeFaults, () => this.#disturbNode());
    const { solana } = this.#world;
    if (solana && plan.solana) new SolanaFaults(this.#world, solana, plan.solana).schedule();
    clock.after(plan.faultyMs, () => this.#end());
  }

  #reorganize(): void {
    const { chain, plan, database } = this.#world;
    const drawn = this.#dice.between(1, plan.depthMax);
    // A payment that somebody else has submitted is rare, and a reorganization should take it away for a while.
    const others = database.tables.settlementTransaction.first(
      ({ signer, state, finalAt }) => signer === null && state === 'confirmed' && finalAt === null,
    );
    const toOthers = others?.blockNumber ? chain.head.number - Number(others.blockNumber) + 1 : 0;
    const depth = Math.min(Math.max(drawn, toOthers), this.#world.depthMax, chain.head.number - 1_001);
    if (depth < 1) return;
    const drawnKind = this.#dice.pick(['all returns', 'all comes later', 'some is lost'] as const);
    const kind = toOthers > 0 ? 'all comes later' : drawnKind;
    this.#world.happens(`reorganization: ${kind}`, 'chain', `a reorganization of ${depth} blocks, ${kind}`);
    if (kind === 'all comes later') this.#passOver(this.#dice.between(toOthers > 0 ? 8_000 : 1, 15_000));
    chain.reorganize(depth, {
      isDelayed: kind === 'all comes later',
      fateOf: () => (kind === 'some is lost' && this.#dice.chance(0.6) ? 'lost' : 'returns'),
    });
  }

  /** A reorganization removes a transaction, and some node still has one that it had replaced. */
  #reviveReplaced(): void {
    const { chain, database } = this.#world;
    const { settlementTransaction } = database.tables;
    for (const replaced of settlementTransaction.where(
      ({ state, raw }) => state === 'replaced' && raw !== null,
    )) {
      const mined = settlementTransaction.first(
        ({ state, signer, nonce }) =>
          state === 'confirmed' && signer === replaced.signer && nonce === replaced.nonce,
      );
      const depth = chain.head.number - Number(mined?.blockNumber ?? 0) + 1;
      if (!mined || !replaced.raw || depth > chain.head.number - chain.tagged('finalized').number) continue;
      this.#world.happens(
        'a replaced transaction returns',
        'chain',
        `${replaced.hash} takes the place of ${mined.hash}`,
      );
      chain.reorganize(depth, {
        isDelayed: true,
        fateOf: (hash) => (hash === mined.hash ? 'lost' : 'returns'),
      });
      const raw = bytesToHex(replaced.raw);
      const { from, nonce } = readTransaction(raw);
      // What the ledger calls its block may have been removed already, and its nonce may be used again.
      if (chain.nonceOf(from) <= nonce && !chain.mempool.at(from, nonce)) chain.broadcast(raw);
      return;
    }
  }

  /** The chain is busy or expensive for a while, or forgets what waits. */
  #disturbChain(): void {
    const { chain, clock } = this.#world;
    const forMs = this.#dice.between(2_000, 20_000);
    const kind = this.#dice.pick(['expensive', 'full', 'passes over', 'forgets'] as const);
    const say = (what: string) => this.#world.happens(`chain ${kind}`, 'chain', what);
    switch (kind) {
      case 'expensive':
        chain.baseFeeOfNext = chain.head.baseFeePerGas * BigInt(this.#dice.pick([3, 30, 10_000]));
        say(`the base fee is ${chain.baseFeeOfNext} wei`);
        clock.after(forMs, () => {
          chain.baseFeeOfNext = null;
        });
        return;
      case 'full':
        say('blocks are full of the transactions of others');
        chain.othersGas = chain.gasLimit - this.#dice.between(0, 400_000);
        clock.after(forMs, () => {
          chain.othersGas = 0;
        });
        return;
      case 'passes over':
        say('blocks pass over transactions');
        this.#passOver(forMs);
        return;
      case 'forgets':
        say('the nodes forget waiting transactions');
        for (const hash of chain.mempool.hashes()) if (this.#dice.chance(0.7)) chain.mempool.lose(hash);
    }
  }

  #passOver(forMs: number): void {
    const { chain, clock } = this.#world;
    chain.passesOver = () => this.#dice.chance(0.8);
    clock.after(forMs, () => {
      chain.passesOver = () => false;
    });
  }

  #disturbNode(): void {
    const { nodes, clock, plan } = this.#world;
    // A liar is believed while the others do not answer.
    const isLying = plan.nodes.some(({ rates }) => rates.lie !== undefined);
    const node = this.#dice.pick(isLying ? nodes.slice(1) : nodes);
    const name = `node ${nodes.indexOf(node)}`;
    const kind = this.#dice.pick(['down', 'hanging', 'lagging', 'stuck'] as const);
    this.#world.happens(`node ${kind}`, name, `is ${kind}`);
    const end = disturb(node, kind, this.#dice.between(1, 8));
    clock.after(this.#dice.between(1_000, 25_000), end);
  }

  /** From now on, everything works. */
  #end(): void {
    const { nodes, chain, log, coverage } = this.#world;
    this.#world.isFaulty = false;
    log.say('world', 'all faults end');
    for (const { conditions, happened } of nodes) {
      Object.assign(conditions, { isDown: false, isHanging: false, lagBlocks: 0, rates: {} });
      for (const [fault, times] of happened) coverage.count('fault', `node: ${fault}`, times);
    }
    for (const node of nodes) node.follow();
    this.#world.solana?.endFaults((fault, times) => coverage.count('fault', `Solana node: ${fault}`, times));
    chain.baseFeeOfNext = null;
    chain.othersGas = 0;
    chain.passesOver = () => false;
  }
}

function disturb(
  node: SimulatedNode,
  kind: 'down' | 'hanging' | 'lagging' | 'stuck',
  blocks: number,
): () => void {
  const { conditions } = node;
  switch (kind) {
    case 'down':
      conditions.isDown = true;
      return () => {
        conditions.isDown = false;
      };
    case 'hanging':
      conditions.isHanging = true;
      return () => {
        conditions.isHanging = false;
      };
    case 'lagging':
      conditions.lagBlocks = blocks;
      return () => {
        conditions.lagBlocks = 0;
      };
    case 'stuck':
      node.stick();
      return () => node.follow();
  }
}
