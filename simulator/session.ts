import { HttpRequestError } from 'viem';
import type { SendToRpc } from '@/lib/payments/rpc/send-to-rpc';
import { price } from '@/tests/simulation/payers/payer';
import type { Plan } from '@/tests/simulation/plan';
import { ServiceProcess } from '@/tests/simulation/process';
import { World } from '@/tests/simulation/world';
import { blocksOf, type ChainBlock } from './chain-view';
import { Client, type ClientRequest, payer } from './client';
import { type FaultName, faults } from './faults';
import { type Judgement, judge } from './judgement';
import { Observer, short } from './observer';
import { FaultyProvider } from './provider';

/** What happened, in the words of the page. */
export interface SessionEvent {
  /** Virtual milliseconds since the call was bought. */
  readonly atMs: number;
  readonly where: 'client' | 'server' | 'chain' | 'you';
  readonly what: string;
}

const startAtomic = 1_000_000n;
const usdcDecimals = 6;
const weiPerGwei = 1_000_000_000;
/** The longest step. */
const stepMaxMs = 60_000;
/** In this time a run without faults comes to its end: payments expire, and blocks become final. */
const endMaxMs = 30 * 60_000;
const minuteMs = 60_000;

/** One server and one node in good order: what goes wrong, a visitor decides. */
const plan: Plan = {
  processes: [{ name: 'server', keys: [0], aheadMs: 0 }],
  nodes: [{ rates: {}, latencyMs: [20, 60], synchronous: null }],
  ...{ solana: null, accounts: 0, channels: null, operators: null, buyers: 1, wallets: [] },
  ...{ faultyMs: minuteMs, statementFails: 0, statementAnswerLost: 0, statementMs: 12 },
  ...{ killAtMessage: 0, killsMax: 0, jumps: 0, databaseCrashes: 0, restarts: 0, reorganizations: 0 },
  ...{ depthMax: 10, finalizedAfter: 10, revivals: 0, chainFaults: 0, nodeFaults: 0 },
};

/**
 * One call that is bought while a visitor causes faults: the payment engine of the service with its database in memory, and Base
 * as tests/simulation simulates it, in virtual time. Equal acts at equal steps have equal outcomes.
 */
export class Session {
  readonly world = new World(1, undefined, plan);
  readonly events: SessionEvent[] = [];
  readonly #observer: Observer;
  readonly #client: Client;
  readonly #active = new Set<FaultName>();
  #server: ServiceProcess | null = null;
  #starts = 0;
  #boughtAtMs: number | null = null;
  #error: unknown = null;

  private constructor() {
    const { world } = this;
    world.isFaulty = false;
    world.chain.giveUsdc(payer.address, startAtomic);
    world.services = new FaultyProvider(world, {
      isDown: () => this.#active.has('provider'),
      say: (what) => this.#say('server', what),
    });
    world.send = this.#watched(world.send);
    world.log.listener = (who, what) => this.#observer.read(who, what);
    this.#observer = new Observer(world, (where, what) => this.#say(where, what));
    const services = world.services.of(world.clock, world.dice('operations'));
    const bought = services.find(({ callsThirdParty }) => callsThirdParty) ?? services[0];
    this.#client = new Client({
      ...{ world, operation: bought.operation },
      server: () => (this.#active.has('client') ? null : this.#server),
      say: (what) => this.#say('client', what),
    });
  }

  /** A service that has been up for a moment, and a client that has bought nothing yet. */
  static async open(): Promise<Session> {
    const session = new Session();
    session.world.chain.start();
    session.#startServer();
    await session.world.time.pass(minuteMs / 10);
    return session;
  }

  get isBought(): boolean {
    return this.#boughtAtMs !== null;
  }

  get requests(): readonly ClientRequest[] {
    return this.#client.requests;
  }

  get isServerUp(): boolean {
    return this.#server !== null;
  }

  /** The client has its answer, or was told that it has none to wait for, and nothing is under way anywhere. */
  get isOver(): boolean {
    return this.#client.isDone && this.isServerUp && this.world.isQuiet;
  }

  isActive(fault: FaultName): boolean {
    return this.#active.has(fault);
  }

  /** The client signs a payment, and sends its request. */
  buy(): void {
    if (this.isBought) throw new Error('the call is already bought');
    this.#boughtAtMs = this.world.time.nowMs;
    this.#say('client', `Signs a payment of ${usdc(price)} and sends the request with it.`);
    this.#client.buy().catch((error: unknown) => {
      this.#error = error;
    });
  }

  /** Begins a fault, or ends it. */
  async toggle(fault: FaultName): Promise<void> {
    const { begins, ends } = faults[fault];
    const isFaulty = !this.#active.has(fault);
    if (isFaulty) this.#active.add(fault);
    else this.#active.delete(fault);
    this.#say('you', isFaulty ? begins : ends);
    const { chain, nodes } = this.world;
    switch (fault) {
      case 'server':
        if (isFaulty) this.#killServer();
        else this.#startServer();
        break;
      case 'client':
        if (isFaulty) this.#client.cut();
        break;
      case 'node':
        for (const { conditions } of nodes) conditions.isHanging = isFaulty;
        break;
      case 'reorganization':
        chain.passesOver = () => isFaulty;
        if (isFaulty) this.#reorganize();
        break;
      case 'broadcast':
      case 'provider':
    }
    await this.world.time.pass(0);
    this.#observer.look();
  }

  /** Lets time pass until something happens. */
  async step(): Promise<void> {
    const before = this.events.length;
    await this.#runUntil(() => this.events.length > before || this.isOver, stepMaxMs);
    if (this.events.length === before && !this.isOver)
      this.#say('you', `Wait for ${stepMaxMs / 1_000} seconds, in which nothing happens.`);
  }

  /** Ends all faults, and lets time pass until nothing is under way. */
  async runToEnd(): Promise<void> {
    for (const fault of [...this.#active]) await this.toggle(fault);
    await this.#runUntil(() => this.isOver, endMaxMs);
  }

  /** What the checks of tests/simulation say at the end. */
  judge(): Judgement {
    return judge(this.world, this.#client.order, price);
  }

  /** Whether the process is up, the states of the call, and what was posted in the ledger. */
  get server() {
    const { paidCall, paidCallMove, posting } = this.world.database.tables;
    const [call] = paidCall.all();
    return {
      isServerUp: this.isServerUp,
      state: call?.state ?? null,
      reached: paidCallMove.all().map(({ toState }): string => toState),
      /** From one state to another, as `settling settled`; the first is from `new`. */
      moves: paidCallMove.all().map(({ fromState, toState }) => `${fromState ?? 'new'} ${toState}`),
      postings: posting.all().map(({ kind, amountAtomic, unit, debitAccount, creditAccount }) => ({
        kind,
        amount: unit === 'wei' ? `${Number(amountAtomic) / weiPerGwei} gwei` : usdc(amountAtomic),
        ...{ debit: readable(debitAccount), credit: readable(creditAccount) },
      })),
    };
  }

  get chain(): { readonly blocks: readonly ChainBlock[]; readonly waiting: number } {
    const { chain } = this.world;
    return { blocks: blocksOf(chain), waiting: chain.mempool.size };
  }

  get balances(): { readonly payer: bigint; readonly seller: bigint } {
    const { chain, payee } = this.world;
    return { payer: chain.usdcOf(payer.address), seller: chain.usdcOf(payee) };
  }

  /** Virtual milliseconds since the call was bought. */
  get nowMs(): number {
    return this.#boughtAtMs === null ? 0 : this.world.time.nowMs - this.#boughtAtMs;
  }

  async #runUntil(isMet: () => boolean, withinMs: number): Promise<void> {
    const { time } = this.world;
    const endMs = time.nowMs + withinMs;
    const isDone = () => {
      this.#observer.look();
      return isMet() || this.#error !== null || time.nowMs >= endMs;
    };
    await time.runUntil(isDone, withinMs + minuteMs);
    if (this.#error) throw this.#error;
  }

  #say(where: SessionEvent['where'], what: string): void {
    if (this.isBought) this.events.push({ atMs: this.nowMs, where, what: what.replace(/…\.$/, '…') });
  }

  #startServer(): void {
    const [server] = plan.processes;
    if (!server) throw new Error('the plan has no process');
    this.#starts += 1;
    this.#server = new ServiceProcess(this.world, server, this.#starts, { left: 0 });
    void this.#server.start();
  }

  #killServer(): void {
    this.#server?.kill();
    this.#server = null;
    // The operating system closes the connections of a process that is gone.
    this.#client.cut();
  }

  /** Takes the block of the payment away, or the newest ones, as far as they are not final. */
  #reorganize(): void {
    const { chain, database } = this.world;
    const paid = database.tables.settlementTransaction.first(({ state }) => state === 'confirmed');
    const wanted = paid?.blockNumber ? chain.head.number - Number(paid.blockNumber) + 1 : 1;
    const depth = wanted <= this.world.depthMax ? wanted : 1;
    chain.reorganize(depth, { isDelayed: true });
    const isFinal = depth < wanted ? ' The block of the payment is final, and stays.' : '';
    this.#say('chain', `Replaces its newest ${depth === 1 ? 'block' : `${depth} blocks`}.${isFinal}`);
  }

  /** Requests to the node, as they are sent. Its answers to broadcasts may be lost. */
  #watched(send: SendToRpc): SendToRpc {
    return async (url, body, signal) => {
      const isBroadcast = this.#observer.readRequest(body);
      const answer = await send(url, body, signal);
      if (!isBroadcast || !this.#active.has('broadcast')) return answer;
      this.#say('chain', 'The node takes the transaction, and its answer is lost.');
      throw new HttpRequestError({ url, details: 'read ECONNRESET' });
    };
  }
}

/** An amount as people read it. */
export function usdc(atomic: bigint): string {
  return `${(Number(atomic) / 10 ** usdcDecimals).toFixed(2)} USDC`;
}

/** An account of the ledger, with addresses shortened. */
function readable(account: string): string {
  return account.replaceAll(/0x[0-9a-fA-F]{10,}/g, short);
}
