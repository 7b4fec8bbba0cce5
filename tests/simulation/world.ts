import type { Hex } from 'viem';
import { openStates } from '@/lib/ledger/states';
import { configuredOffers, type EvmNetwork, isEvmOffer, type Offer } from '@/lib/payments/network-offers';
import type { SendToRpc } from '@/lib/payments/rpc/send-to-rpc';
import { MemoryDatabase } from '@/packages/paywall/memory/memory-database';
import { testPlatform } from '../support/platform';
import { type ChannelPayer, openChannels } from './channels/channel-payer';
import { withdrawalSpeed } from './channels/terms';
import { Coverage, type Fault } from './coverage';
import { Dice } from './dice';
import { EventLog } from './event-log';
import { Account as Signer } from './evm/accounts';
import { SimulatedChain } from './evm/chain';
import { SimulatedNode, sendToNodes } from './evm/node';
import { type Account, openAccounts } from './payers/account-payers';
import { drawPlan, type Plan } from './plan';
import { Services } from './services';
import { SolanaWorld } from './solana/world';
import { type VirtualClock, VirtualTime } from './virtual-clock';

const payee = new Signer('our payee').address;

/** Parsed once, because that takes long. */
export const platform = testPlatform({ PAY_TO_EVM: payee, BASE_RPC_URL: 'http://node-0' });
const [configured] = configuredOffers(platform.settings).filter(isEvmOffer);

/** The settlement keys of the service. */
export const settlementKeys = ['first key', 'second key', 'third key'].map((name) => new Signer(name));
export const startGasWei = 10n ** 18n;
const dayMs = 86_400_000;

const { random: unseeded } = Math;

/**
 * Creates something with names from the machine's random numbers. viem names its clients so, for good, and takes clients with one
 * name for the same one: those of a history that is run again would wait for answers to the first run.
 */
export function withOwnNames<T>(create: () => T): T {
  const { random } = Math;
  Math.random = unseeded;
  try {
    return create();
  } finally {
    Math.random = random;
  }
}

/** What all processes and buyers of a history share: time, a database, and networks with their nodes. */
export class World {
  readonly seed: number;
  readonly plan: Plan;
  readonly time: VirtualTime;
  readonly startMs: number;
  readonly log: EventLog;
  readonly coverage: Coverage;
  /** The true time. */
  readonly clock: VirtualClock;
  readonly database: MemoryDatabase;
  readonly chain: SimulatedChain;
  readonly nodes: readonly SimulatedNode[];
  readonly offer: Offer<EvmNetwork>;
  /** How a process reaches the nodes of all networks. Whoever watches or breaks requests replaces it before processes start. */
  send: SendToRpc;
  /** Solana with its nodes; null when nobody pays there. */
  readonly solana: SolanaWorld | null;
  /** When the next tick of each job is due, which production keeps in a table. */
  readonly ticks = new Map<string, number>();
  /** What all processes offer, which may be replaced before they start. */
  services = new Services(this);
  /** Prepaid accounts. */
  readonly accounts: readonly Account[];
  /** Payment channels, each with its payer. */
  readonly channels: readonly ChannelPayer[];
  /** What the treasury has on Base besides what callers paid, in atomic USDC. */
  readonly ownFunds: bigint;
  /** Whether things still go wrong. */
  isFaulty = true;

  constructor(seed: number, coverage = new Coverage(), plan = drawPlan(seed)) {
    if (!configured) throw new Error('Base is not configured');
    this.seed = seed;
    this.plan = plan;
    this.coverage = coverage;
    this.time = new VirtualTime({ random: this.dice('order of timers').next });
    this.clock = this.time.createClock();
    this.startMs = this.time.nowMs;
    this.log = new EventLog(() => this.time.nowMs - this.startMs);
    this.database = new MemoryDatabase(this.clock, (from, to) =>
      coverage.count('transaction', `${from ?? 'new'} > ${to}`),
    );
    const { finalizedAfter } = plan;
    this.chain = new SimulatedChain({
      ...{ network: configured.network, clock: this.clock, withdrawalSpeed },
      ...{ safeAfter: Math.floor(finalizedAfter / 2), finalizedAfter },
    });
    for (const { address } of settlementKeys) this.chain.giveGas(address, startGasWei);
    this.nodes = this.plan.nodes.map(
      (conditions, index) =>
        new SimulatedNode(this.chain, this.clock, this.dice(`node ${index}`).next, conditions),
    );
    const urls = this.nodes.map((_, index) => `http://node-${index}`);
    this.offer = { ...configured, rpcUrls: urls, finalityBlocks: finalizedAfter + 4 };
    const toBase = sendToNodes(new Map(this.nodes.map((node, index) => [urls[index] ?? '', node] as const)));
    const { time } = this;
    const solana = plan.solana && new SolanaWorld({ time, random: this.dice('Solana').next, ...plan.solana });
    this.solana = solana;
    this.accounts = openAccounts(this);
    this.channels = openChannels(this);
    // A claimed voucher may be refunded before the contract has paid it out.
    this.ownFunds = plan.operators && plan.channels ? 100n * plan.channels.price : 0n;
    this.chain.giveUsdc(payee, this.ownFunds);
    this.send = (url, ...rest) =>
      solana?.offer.rpcUrls.includes(url) ? solana.send(url, ...rest) : toBase(url, ...rest);
  }

  dice(part: string): Dice {
    return new Dice(this.seed, part);
  }

  /** Something goes wrong. */
  happens(fault: Fault, who: string, what: string): void {
    this.coverage.count('fault', fault);
    this.log.say(who, `! ${what}`);
  }

  /** Whether nothing is under way, and all that has happened is final. */
  get isQuiet(): boolean {
    const { paidCall, settlementTransaction } = this.database.tables;
    const now = this.database.clock.date();
    // What only its buyer may ask for again waits for a day.
    const isOpenCall = paidCall.first(({ state, refusalFinalAt, attemptAt, workedBy }) => {
      if (state === 'refused') return refusalFinalAt === null;
      const isWaiting = workedBy === null && attemptAt.getTime() - now.getTime() > dayMs / 2;
      return openStates.includes(state) && !(state === 'settled' && isWaiting);
    });
    const isOpenTransaction = settlementTransaction.first(
      ({ state, finalAt }) => state === 'prepared' || (state === 'confirmed' && finalAt === null),
    );
    return !isOpenCall && !isOpenTransaction && this.chain.mempool.size === 0;
  }

  /** The deepest reorganization of Base. */
  get depthMax(): number {
    return this.plan.finalizedAfter - 2;
  }

  get payee(): Hex {
    return payee;
  }
}
