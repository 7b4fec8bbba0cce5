import type { Charge, FinalityStatus, Outcome, SettledTransaction } from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import type { SolanaSettler } from '@/lib/payments/solana/solana-settler';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { productionTimings } from '@/lib/platform/timings';
import { MemoryDatabase } from '@/packages/paywall/memory/memory-database';
import { memoryJournal } from '@/packages/paywall/memory/memory-journal';
import { letOthersFirst } from '../support/beside-others';
import { randomNumbers } from '../support/random';
import { expect, test } from '../support/without-browser';
import { noClusterFaults } from './solana/chain';
import { noNodeFaults } from './solana/node';
import { SolanaWorld, settlingCall } from './solana/world';
import { MemoryProcess } from './stores/memory-process';
import { makeCryptoSynchronous } from './synchronous-crypto';

const network = 'solana-mainnet';
const price = 10_000n;
const seeds = 25;
const paymentsPerHistory = 4;
const acceptAttempts = 20;
/** Everything may go wrong for so long, and nothing after that. */
const faultyMs = 4 * 60_000;
const endMs = 40 * 60_000;
/** How long a process is waited for that may have been killed. */
const patienceMs = 30_000;
const pauseMs = 5_000;
/** The share of pauses in which nobody looks at a payment for long, and how long that may be. */
const outages = 0.3;
const outageMs = 3 * 60_000;

type Settled = Extract<Outcome, { kind: 'settled' }>;

interface Instance {
  readonly process: MemoryProcess;
  readonly settler: SolanaSettler;
}

/** Payers whose payments two processes settle, which are killed now and then, while cluster and nodes do their worst. */
class History {
  readonly world: SolanaWorld;
  /** Everything that was said about the payments, with the time in milliseconds. */
  readonly log: string[] = [];
  readonly ends = new Map<string, 'refused' | 'final'>();
  readonly #random: () => number;
  readonly #database: MemoryDatabase;
  readonly #startMs: number;
  readonly #instances: Instance[];
  #started = 0;

  constructor(seed: number) {
    this.#random = randomNumbers(seed);
    // In every second history a fault does not happen at all, so that the others are not hidden by it.
    const share = (max: number) => (this.#random() < 0.5 ? 0 : this.#random() * max);
    this.world = new SolanaWorld({
      seed,
      nodes: 1 + Math.floor(this.#random() * 3),
      cluster: {
        ...{ skipped: share(0.3), forked: share(0.2), forkSlotsMax: 1 + Math.floor(share(30)) },
        ...{ lostInFork: share(1), lostOnTheWay: share(1), delayMaxMs: share(60_000) },
      },
      node: {
        ...{ lostRequests: share(0.3), lostAnswers: share(0.3), silent: share(0.1), repeated: share(0.2) },
        ...{
          dropped: share(1),
          denied: share(0.3),
          invented: share(0.2),
          lagSlotsMax: Math.floor(share(60)),
        },
        delayMaxMs: share(1_500),
      },
    });
    // One of several nodes is honest and answers. It may still be behind, and broadcasts may get lost after it.
    const sound = this.world.nodes.length > 1 ? this.world.nodes.at(-1) : undefined;
    if (sound) sound.faults = { ...noNodeFaults, lagSlotsMax: sound.faults.lagSlotsMax };
    this.#startMs = this.world.time.nowMs;
    this.#database = new MemoryDatabase(this.world.time.createClock());
    this.#instances = [this.#start(), this.#start()];
  }

  async run(): Promise<void> {
    const { world } = this;
    const over = Promise.all(Array.from({ length: paymentsPerHistory }, (_, index) => this.#pay(index)));
    for (let kills = Math.floor(this.#random() * 4); kills > 0; kills -= 1)
      world.clock.after(Math.ceil(this.#random() * 90_000), () => this.#kill());
    world.clock.after(faultyMs, () => {
      world.cluster.faults = noClusterFaults;
      for (const node of world.nodes) node.faults = noNodeFaults;
    });
    await world.time.finish(over, endMs);
  }

  #start(): Instance {
    this.#started += 1;
    // The clocks of machines differ by some seconds.
    const clock = this.world.time.createClock(Math.floor((this.#random() - 0.5) * 10_000));
    const id = `process ${this.#started}`;
    const options = { id, settles: [network], timings: productionTimings };
    const process = new MemoryProcess(this.#database, clock, options);
    return { process, settler: this.world.openSettler(clock, memoryJournal(process)) };
  }

  #kill(): void {
    const index = Math.floor(this.#random() * this.#instances.length);
    this.#instances[index]?.process.kill(() => this.#random() < 0.5);
    this.#instances[index] = this.#start();
    this.#say('cluster', `process ${index} is killed`);
  }

  /** Charges a payment as the service does: settles it, and looks it up until its outcome is final. */
  async #pay(index: number): Promise<void> {
    const { world } = this;
    const { clock } = world;
    await clock.sleep(Math.ceil(this.#random() * 30_000));
    // Some pay twice, and cannot always afford it.
    const payer = `payer ${Math.floor(index / 2)}`;
    const isWallet = index >= 2;
    const funds = price + (this.#random() < 0.5 ? price : 0n);
    if (index % 2 === 0 && isWallet) world.fundWallet(payer, funds);
    else if (index % 2 === 0) world.fund(payer, funds);
    const signed = { memo: `${index}`, blockhash: this.#blockhash() };
    const payment = isWallet ? world.payFromWallet(payer, price, signed) : world.pay(payer, price, signed);
    if (isWallet && this.#random() < 0.3) this.#changeWallet(payer);
    const id = `call ${index}`;
    const sinceHeight = await this.#accept(id, payment);
    if (sinceHeight === null) return void this.ends.set(id, 'refused');
    this.#database.execute(({ paidCall }) => paidCall.insert(settlingCall(id, payment, sinceHeight)));
    const charge: Charge = { paidCallId: id, payment };
    const trace = { id, sinceHeight, transactionHash: null };
    const settle = ({ settler }: Instance) => settler.settle(charge);
    const lookUp = ({ settler }: Instance) => settler.resolveOutcome(payment, trace);
    for (let next = settle; ; await this.#pause()) {
      const outcome = await this.#ask(next);
      this.#say(
        id,
        JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
      );
      if (outcome?.kind === 'refused') return void this.ends.set(id, 'refused');
      if (outcome?.kind === 'settled') this.#expectInBlock(outcome);
      if (outcome?.kind === 'settled' && (await this.#becomesFinal(id, outcome)))
        return void this.ends.set(id, 'final');
      next = outcome?.kind === 'unknown' && outcome.isUnused && this.#random() < 0.5 ? settle : lookUp;
    }
  }

  /** For a while a smart wallet does nothing, or fails. */
  #changeWallet(member: string): void {
    const { clock } = this.world;
    const between = () => Math.ceil(this.#random() * 10_000);
    clock.after(between(), () =>
      this.world.changeWallet(member, this.#random() < 0.7 ? 'doesNothing' : 'fails'),
    );
    clock.after(10_000 + between(), () => this.world.changeWallet(member, 'pays'));
  }

  /** Wallets take a blockhash that may already be final, and some time to sign. */
  #blockhash(): string {
    const { blocks, slot } = this.world.cluster.view();
    return blocks.hashOf(blocks.lastAt(slot - 1 - Math.floor(this.#random() * 50)));
  }

  /** Verifies a payment. A node that is behind does not know its blockhash yet, so its payer asks again. @returns the height */
  async #accept(id: string, payment: Payment): Promise<bigint | null> {
    for (let attempt = 0; attempt < acceptAttempts; attempt += 1) {
      const verification = await this.#ask(({ settler }) => settler.verify(payment));
      if (verification?.ok) return verification.height;
      this.#say(id, verification?.reason ?? 'no answer');
      if (verification?.reason.endsWith('insufficient_balance')) return null;
      await this.world.clock.sleep(1_000);
    }
    return null;
  }

  /** Usually short, and sometimes as long as after an outage of ours. */
  #pause(): Promise<void> {
    const most = this.#random() < outages ? outageMs : pauseMs;
    return this.world.clock.sleep(Math.ceil(this.#random() * most));
  }

  /** With an honest node among them, nodes cannot make us believe in a block that never was. */
  #expectInBlock({ transactionHash, block }: Settled): void {
    const blocks = this.world.cluster.blocks.withSignature(transactionHash ?? '');
    if (this.world.nodes.length > 1 && !blocks.some(({ slot }) => BigInt(slot) === block?.number))
      throw new Error(`${transactionHash} is settled, and never was in slot ${block?.number}`);
  }

  async #becomesFinal(id: string, { transactionHash, block }: Settled): Promise<boolean> {
    const hash = transactionHash ?? '';
    for (;;) {
      await this.world.clock.sleep(pauseMs);
      const status = await this.#checkFinality({ hash, block });
      if (status) this.#say(id, status.kind);
      if (status?.kind === 'final') return true;
      if (status?.kind === 'vanished' || status?.kind === 'failed') return false;
    }
  }

  async #checkFinality(settled: SettledTransaction): Promise<FinalityStatus | undefined> {
    const checked = await this.#ask(({ settler }) => settler.checkFinality([settled]));
    return checked?.get(settled.hash);
  }

  /** What one of the processes answers; null when it does not, or fails. */
  async #ask<T>(ask: (instance: Instance) => Promise<T>): Promise<T | null> {
    const instance = this.#instances[Math.floor(this.#random() * this.#instances.length)];
    if (!instance) throw new Error('no process runs');
    return inTime(this.world.clock, ask(instance), patienceMs, null).catch(() => null);
  }

  #say(who: string, what: string): void {
    this.log.push(`${this.world.time.nowMs - this.#startMs} ${who}: ${what}`);
  }
}

test(`Solana payments end as the cluster decides in ${seeds} histories full of faults, the same with the same seed`, async () => {
  letOthersFirst();
  const undo = makeCryptoSynchronous();
  const startedAt = performance.now();
  const counts = { refused: 0, final: 0, vanished: 0 };
  for (let seed = 1; seed <= seeds; seed += 1) {
    const history = new History(seed);
    await history.run().catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${String(error)}\n${history.log.join('\n')}`);
    });
    const { ends, world, log } = history;
    // Nothing is under way any more, and everything is final.
    await world.time.pass(5 * 60_000);
    const final = [...ends.values()].filter((end) => end === 'final').length;
    expect(world.paid('finalized'), `seed ${seed}:\n${log.join('\n')}`).toBe(BigInt(final) * price);
    counts.final += final;
    counts.refused += ends.size - final;
    counts.vanished += log.filter((line) => line.endsWith(': vanished')).length;
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(
    `Solana: ${Math.round((seeds * 60) / seconds)} histories a minute, ${JSON.stringify(counts)}, ` +
      `${Math.round((seeds * paymentsPerHistory) / seconds)} settlements a second`,
  );
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
  for (const seed of [3, 5, 8]) {
    const [one, other] = [new History(seed), new History(seed)];
    await one.run();
    await other.run();
    expect(other.log).toEqual(one.log);
  }
  undo();
});
