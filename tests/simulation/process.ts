import { pino } from 'pino';
import type { Hex } from 'viem';
import type { CallStore } from '@/lib/calls/call-store';
import type { PurchaseResult } from '@/lib/calls/purchase';
import { checkFinality } from '@/lib/jobs/finality-checks';
import { idleCallReleaser } from '@/lib/jobs/idle-calls';
import { pollForWork } from '@/lib/jobs/poll-for-work';
import { checkRefunds } from '@/lib/operator/refunds/follow';
import type { RefundsApp } from '@/lib/operator/refunds/refundable';
import { AccountSettler } from '@/lib/payments/account/account-settler';
import { EvmSettler } from '@/lib/payments/evm/evm-settler';
import type { Network, NetworkName } from '@/lib/payments/network-offers';
import { onAccount, type Payment } from '@/lib/payments/payment';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { SendToRpc } from '@/lib/payments/rpc/send-to-rpc';
import type { SolanaSettler } from '@/lib/payments/solana/solana-settler';
import { type Repetition, repeat } from '@/lib/platform/concurrency/repeat';
import { task } from '@/lib/platform/concurrency/task';
import { OngoingProblems } from '@/lib/platform/ongoing-problem';
import type { ChainPlatform } from '@/lib/platform/platform';
import { shareClock } from '@/lib/platform/shared-clock';
import { productionTimings, type Timings } from '@/lib/platform/timings';
import { memoryCalls } from '@/packages/paywall/memory/memory-calls';
import { memoryDueWork } from '@/packages/paywall/memory/memory-due-work';
import { memoryFinality } from '@/packages/paywall/memory/memory-finality';
import { memoryJournal } from '@/packages/paywall/memory/memory-journal';
import { type SentRequest, SimulatedServer } from './calls/simulated-server';
import { payloadOf } from './channels/channel-payer';
import { ProcessChannels } from './channels/process-channels';
import { channelTimings, termsOf } from './channels/terms';
import type { Fault } from './coverage';
import type { Dice } from './dice';
import type { ProcessPlan } from './plan';
import { openRefunds } from './refunds/open-refunds';
import { memoryAccounts } from './stores/memory-accounts';
import { MemoryProcess, type StatementFault } from './stores/memory-process';
import { VirtualClock } from './virtual-clock';
import { platform, settlementKeys, type World, withOwnNames } from './world';

/** As in production, but what is asked over and over is asked less often: most of the work of a history would be that. */
const timings: Timings = {
  ...productionTimings,
  // What a wallet was asked to sign expires within a history.
  refunds: { ...productionTimings.refunds, signWithinMs: 60_000 },
  channels: channelTimings,
  polling: { activeMs: 1_000, activeForMs: 10_000, activeWithPeersMs: 500, idleWithPeersMs: 2_000 },
  evm: { ...productionTimings.evm, pollFirstMs: 50, pollMaxAloneMs: 400, pollMaxMs: 1_000, queuePollMs: 300 },
};

/** The clock of a process, which follows that of the database as in production. */
class ProcessClock extends VirtualClock {
  readonly #shared = shareClock({
    now: () => super.now(),
    date: () => super.date(),
    monotonic: () => this.monotonic(),
    sleep: (ms) => this.sleep(ms),
    after: (ms, run) => this.after(ms, run),
  });

  override now(): number {
    return this.#shared.now();
  }

  override date(): Date {
    return this.#shared.date();
  }

  follow(databaseMs: number, askedAt: number): void {
    this.#shared.follow(databaseMs, askedAt);
  }
}

type Work = Awaited<ReturnType<typeof memoryDueWork>>;

/** A network, and who settles there. */
interface Settled {
  readonly network: Network;
  readonly settler: EvmSettler | SolanaSettler;
}

/** One process of the service, from its start until it is killed or stops. */
export class ServiceProcess {
  readonly id: string;
  readonly clock: ProcessClock;
  readonly #world: World;
  readonly #dice: Dice;
  readonly #memory: MemoryProcess;
  /** By the name of its network. */
  readonly #settlers: ReadonlyMap<string, Settled>;
  /** Null when nobody pays through channels. */
  readonly channels: ProcessChannels | null;
  readonly #server: SimulatedServer;
  readonly #store: CallStore;
  readonly #app: ChainPlatform;
  #refunds: RefundsApp | null = null;
  #isKilled = false;
  #kills: { left: number };
  #stopPolling: () => Promise<void> = () => Promise.resolve();
  #collecting: Repetition | null = null;

  /**
   * @param run how often a process of this plan has been started before
   * @param kills how often processes may still be killed at a message
   */
  constructor(world: World, plan: ProcessPlan, run: number, kills: { left: number }) {
    this.#world = world;
    this.#kills = kills;
    this.id = `${plan.name}${run}`;
    this.#dice = world.dice(`process ${this.id}`);
    this.clock = new ProcessClock(world.time, plan.aheadMs);
    const keys = plan.keys.flatMap((key) => settlementKeys[key]?.privateKey ?? []);
    this.#memory = new MemoryProcess(world.database, this.clock, {
      id: this.id,
      settles: [...(keys.length > 0 ? ['base'] : []), ...(world.solana ? ['solana-mainnet'] : [])],
      timings,
      latencyMs: () => this.#dice.between(0, world.plan.statementMs),
      fault: () => this.#faultOfStatement(),
    });
    const log = pino(
      { level: 'info', base: undefined, timestamp: false },
      { write: (line: string) => this.#isKilled || world.log.say(this.id, line.trim()) },
    );
    const { clock } = this;
    const { metrics } = platform;
    const problems = new OngoingProblems(log, clock);
    this.#app = { clock, timings, log, problems, metrics, siblings: null };
    [this.#settlers, this.channels] = withOwnNames(() => this.#openSettlers(keys));
    const accounts = new AccountSettler(memoryAccounts(this.#memory));
    const settlerOf = ({ network, channelId }: Pick<Payment, 'network' | 'channelId'>) => {
      if (channelId !== undefined) return this.channels?.settler ?? null;
      return network === onAccount ? accounts : (this.#settlers.get(network)?.settler ?? null);
    };
    const watch = { isWithdrawnAfter: async () => false };
    this.#store = memoryCalls(this.#memory);
    this.#server = new SimulatedServer({
      calls: this.#store,
      payments: { settlerOf, openSettlerOf: settlerOf, watch },
      services: world.services.of(clock, this.#dice),
      clock,
      timings,
      log,
      metrics,
    });
  }

  #openSettlers(keys: readonly Hex[]): [ReadonlyMap<string, Settled>, ProcessChannels | null] {
    const { offer, solana } = this.#world;
    const journal = memoryJournal(this.#memory);
    const nodes = new RpcNodes(this.#app, offer, this.#send);
    const onBase = new EvmSettler(this.#app, offer, nodes, keys, journal);
    const settled: Settled[] = [{ network: offer.network, settler: onBase }];
    if (solana) {
      const settler = solana.openSettlerOf(this.#app, journal, this.#send);
      settled.push({ network: solana.offer.network, settler });
    }
    const channels = this.#openChannels(nodes, onBase);
    return [new Map(settled.map((one) => [one.network.name, one] as const)), channels];
  }

  #openChannels(nodes: RpcNodes, settler: EvmSettler): ProcessChannels | null {
    const { offer, plan, time } = this.#world;
    if (!plan.channels) return null;
    const { price, isClosing } = plan.channels;
    const isLate = time.nowMs - this.#world.startMs > plan.faultyMs / 2;
    const terms = termsOf(offer, price, isClosing && isLate);
    return new ProcessChannels({ ...platform, ...this.#app }, terms, this.#memory, { nodes, settler, price });
  }

  get #networks(): NetworkName[] {
    return [...this.#settlers.values()].map(({ network: { name } }) => name);
  }

  async buy(request: SentRequest): Promise<PurchaseResult> {
    const { payment } = request;
    if (!this.channels || payment.channelId === undefined) return this.#server.buy(request);
    const read = this.channels.read(payloadOf(payment));
    return typeof read === 'string'
      ? { kind: 'rejected', reason: read }
      : this.#server.buy({ ...request, ...read });
  }

  /** Answers a wallet that signs in instead of paying again; null when it has to pay. */
  signIn(request: Omit<SentRequest, 'payment'>, address: string): Promise<PurchaseResult | null> {
    return this.#server.signIn(request, address);
  }

  /** How operators refund calls at this process. */
  get refunds(): RefundsApp {
    this.#refunds ??= withOwnNames(() => openRefunds(this.#app, this.#world, this.#memory, this.#send));
    return this.#refunds;
  }

  get isKilled(): boolean {
    return this.#isKilled;
  }

  /** Begins to work, as `startApp` does. */
  async start(): Promise<void> {
    this.#world.log.say(this.id, 'starts');
    while (!(await this.#beat().catch(() => null))) await this.clock.sleep(1_000);
    const settlers = [...this.#settlers.values()];
    const maintained = settlers.map(({ network: { name }, settler }) =>
      task(this.#app, `maintain settlements on ${name}`, (work: Work) => settler.maintain(work.on(name))),
    );
    const { runs } = this.#server;
    const releaser = idleCallReleaser({ calls: this.#store, runs, clock: this.clock, timings });
    const releaseIdle = task(this.#app, 'release idle calls', releaser);
    const jobs = this.#jobs();
    const instance = { countPeers: () => undefined, hasPeers: () => this.#memory.hasPeers() };
    this.#stopPolling = pollForWork(
      { ...this.#app, instance },
      () => this.#ask(),
      (work) => {
        for (const start of jobs) start(work);
        for (const maintain of maintained) void maintain.run(work);
        void releaseIdle.run(work);
      },
    );
    const { channels } = this;
    if (channels)
      this.#collecting = repeat(this.#app, 'collect payment channels', timings.channels.collectMs, () =>
        channels.collect(),
      );
    await Promise.all(settlers.map(({ settler }) => settler.check().catch(() => undefined)));
  }

  /** Ends in order, as at an update. */
  async stop(): Promise<void> {
    await Promise.all([this.#stopPolling(), this.#collecting?.stop()]);
    await this.#memory.withdraw().catch(() => undefined);
  }

  kill(): void {
    this.#isKilled = true;
    this.#memory.kill(() => this.#dice.chance(0.5));
  }

  async #beat(): Promise<true> {
    const askedAt = this.clock.monotonic();
    this.clock.follow(await this.#memory.beat(), askedAt);
    return true;
  }

  async #ask(): Promise<Work> {
    const askedAt = this.clock.monotonic();
    const work = await memoryDueWork(this.#memory, this.#networks, this.#world.ticks);
    this.clock.follow(work.databaseMs, askedAt);
    return work;
  }

  /** The jobs of the service. Of all processes, the one that claims a tick runs it. */
  #jobs(): ((work: Work) => void)[] {
    const { recoverCallsMs, reviewSettlementsMs, closeRefusalsMs, checkRefundsMs } = timings.jobs;
    const job = (
      name: string,
      everyMs: number,
      isNeeded: (work: Work) => boolean,
      run: () => Promise<void>,
    ) => {
      if (!this.#world.ticks.has(name)) this.#world.ticks.set(name, 0);
      const running = task(this.#app, name, run);
      const claim = task(this.#app, `ticks of ${name}`, async () => {
        if (await this.#claimTick(name, everyMs)) void running.run();
      });
      return (work: Work) => {
        if (isNeeded(work) && work.dueJobs.includes(name)) void claim.run();
      };
    };
    return [
      job(
        'recover calls',
        recoverCallsMs,
        ({ hasAbandonedCalls }) => hasAbandonedCalls,
        () => this.#server.recover(),
      ),
      job(
        'review settlements',
        reviewSettlementsMs,
        ({ hasSettlementsNotFinal }) => hasSettlementsNotFinal,
        () => this.#reviewSettlements(),
      ),
      job(
        'close refusals',
        closeRefusalsMs,
        ({ hasRefusalsToClose }) => hasRefusalsToClose,
        () => this.#server.closeRefusals(),
      ),
      job(
        'check refunds',
        checkRefundsMs,
        ({ hasRefundsToCheck }) => hasRefundsToCheck,
        () => checkRefunds(this.refunds, this.clock.date()),
      ),
    ];
  }

  #reviewSettlements(): Promise<void> {
    const { problems, log, clock } = this.#app;
    const offers = [...this.#settlers.values()];
    const record = memoryFinality(this.#memory);
    return checkFinality({ problems, log, record, offers }, clock.date());
  }

  #claimTick(name: string, everyMs: number): Promise<boolean> {
    const { ticks, clock } = this.#world;
    return this.#memory.query(() => {
      if ((ticks.get(name) ?? 0) > clock.now()) return false;
      ticks.set(name, clock.now() + everyMs * 0.9);
      return true;
    });
  }

  #faultOfStatement(): StatementFault | null {
    const { plan, isFaulty } = this.#world;
    // Drawn in any case, so that the end of one fault does not change the others.
    const [kill, fail, lose] = [this.#dice.next(), this.#dice.next(), this.#dice.next()];
    if (!isFaulty) return null;
    if (kill < plan.killAtMessage) this.#killAtMessage('killed at a statement');
    else if (fail < plan.statementFails) return this.#happens('statement fails', 'fails');
    else if (lose < plan.statementAnswerLost)
      return this.#happens('answer of the database lost', 'answer lost');
    return null;
  }

  #happens(fault: Fault, how: StatementFault): StatementFault {
    this.#world.happens(fault, this.id, fault);
    return how;
  }

  #killAtMessage(fault: Fault): boolean {
    if (this.#kills.left === 0 || this.#isKilled) return false;
    this.#kills.left -= 1;
    this.#world.happens(fault, this.id, `is ${fault}`);
    this.kill();
    return true;
  }

  readonly #send: SendToRpc = async (url, body, signal) => {
    if (this.#isKilled) return never();
    const { plan, isFaulty, send } = this.#world;
    const [kill, order] = [this.#dice.next(), this.#dice.next()];
    const isKill = isFaulty && kill < plan.killAtMessage;
    if (isKill && order < 0.5 && this.#killAtMessage('killed before a request')) return never();
    const answer = send(url, body, signal);
    if (isKill && this.#killAtMessage('killed after a request')) answer.catch(() => undefined);
    if (this.#isKilled) return never();
    try {
      const got = await answer;
      return this.#isKilled ? await never() : got;
    } catch (error) {
      return this.#isKilled ? never() : Promise.reject(error);
    }
  };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
