import { Dice } from './dice';
import type { NodeFault, SynchronousSends } from './evm/node';
import { type ClusterFaults, noClusterFaults } from './solana/chain';
import { noNodeFaults, type NodeFaults as SolanaNodeFaults } from './solana/node';

/** Everything that a seed decides beforehand: how many take part, and how much goes wrong. */
export interface Plan {
  readonly processes: readonly ProcessPlan[];
  readonly nodes: readonly NodePlan[];
  /** Null when nobody pays on Solana. */
  readonly solana: SolanaPlan | null;
  /** How many prepaid accounts there are. */
  readonly accounts: number;
  /** Null when nobody pays through channels. */
  readonly channels: ChannelsPlan | null;
  /** Null when no operator refunds calls. */
  readonly operators: OperatorsPlan | null;
  readonly buyers: number;
  /** The accounts with code of the first payers on Base. */
  readonly wallets: readonly WalletKind[];
  /** How long things may go wrong. */
  readonly faultyMs: number;
  /** How likely a statement fails, or its answer is lost. */
  readonly statementFails: number;
  readonly statementAnswerLost: number;
  /** The most milliseconds that a message to or from the database takes. */
  readonly statementMs: number;
  /** How likely a process is killed at each of its messages, and how often at most. */
  readonly killAtMessage: number;
  readonly killsMax: number;
  /** How many of each of these happen, at random moments. */
  readonly jumps: number;
  readonly databaseCrashes: number;
  readonly restarts: number;
  readonly reorganizations: number;
  readonly depthMax: number;
  /** After how many blocks one on Base is final. No reorganization is deeper. */
  readonly finalizedAfter: number;
  readonly revivals: number;
  readonly chainFaults: number;
  readonly nodeFaults: number;
}

export interface ProcessPlan {
  readonly name: string;
  /** Numbers of the settlement keys that it has. */
  readonly keys: readonly number[];
  /** How far the time of its machine is ahead. */
  readonly aheadMs: number;
}

/** A contract wallet, or the account of a key that has delegated to one (EIP-7702). */
export type WalletKind = 'contract' | 'delegated';

interface NodePlan {
  readonly rates: Partial<Record<NodeFault, number>>;
  readonly latencyMs: readonly [number, number];
  /** Null where it lacks `eth_sendRawTransactionSync`. */
  readonly synchronous: SynchronousSends | null;
}

export interface SolanaPlan {
  readonly cluster: ClusterFaults;
  readonly nodes: readonly SolanaNodeFaults[];
  /** How many of each of these happen, at random moments. */
  readonly forks: number;
  readonly nodeFaults: number;
}

export interface OperatorsPlan {
  readonly count: number;
  /** How often a block with a refund is removed. */
  readonly removals: number;
}

export interface ChannelsPlan {
  readonly count: number;
  /** Of a call, in atomic USDC. */
  readonly price: bigint;
  /** How many buyers pay through channels only. */
  readonly buyers: number;
  /** How many of each of these happen, at random moments. */
  readonly withdrawals: number;
  readonly refunds: number;
  readonly deposits: number;
  /** How often a stranger sends a claim or refund of ours, and a block with an event of the contract is removed. */
  readonly copies: number;
  readonly removals: number;
  /** Whether processes that start late take no payments through channels any more. */
  readonly isClosing: boolean;
}

const keyPlans = {
  'one key, shared': () => [0],
  'two keys, shared': () => [0, 1],
  'a key each': (index: number) => [index],
  'a key for the first': (index: number) => (index === 0 ? [0] : []),
  'a key for all but the first': (index: number) => (index === 0 ? [] : [0]),
} as const;

/** The most of each fault of a node, for each request. */
const ratesMax: Readonly<Record<Exclude<NodeFault, 'lie'>, number>> = {
  request_lost: 0.15,
  answer_lost: 0.15,
  hangs: 0.05,
  overloaded: 0.15,
  late: 0.1,
  doubled: 0.2,
  broadcast_dropped: 0.5,
};

/** How much happens in a history. */
interface Size {
  readonly buyers: readonly [number, number];
  /** How long things may go wrong, in milliseconds, without operators. */
  readonly faultyMs: readonly [number, number];
  readonly depthMax: readonly number[];
  readonly finalizedAfter: number;
  /** The shares of histories with operators, with payers on Solana and through channels, which take several times as long as others. */
  readonly operators: number;
  readonly solana: number;
  readonly channels: number;
}

const ordinary: Size = {
  ...{ buyers: [3, 8], faultyMs: [15_000, 60_000] },
  ...{ depthMax: [1, 2, 4, 15], finalizedAfter: 20 },
  ...{ operators: 0.1, solana: 0.3, channels: 0.25 },
};

/** A few calls within seconds. In the time of an ordinary one, several run, which find as many mistakes. */
const small: Size = {
  ...{ buyers: [1, 3], faultyMs: [6_000, 25_000] },
  ...{ depthMax: [1, 2, 4], finalizedAfter: 7 },
  ...{ operators: 0.02, solana: 0.08, channels: 0.005 },
};

/** Seeds from here on have small histories. */
export const firstSmall = 1_000_000;

/**
 * Draws the plan of a seed. Much is left out of each, because a history in which all goes wrong shows little of each.
 * @param certain what it has in any case
 */
export function drawPlan(seed: number, certain: readonly ('operators' | 'Solana' | 'channels')[] = []): Plan {
  const size = seed < firstSmall ? ordinary : small;
  const dice = new Dice(seed, 'plan');
  const some = (most: number, chance = 0.5) => (dice.chance(chance) ? dice.between(1, most) : 0);
  const share = (most: number, chance = 0.4) => (dice.chance(chance) ? dice.next() * dice.next() * most : 0);
  const count = dice.chance(0.7) ? 2 : 3;
  const keysOf = keyPlans[dice.pick(Object.keys(keyPlans) as (keyof typeof keyPlans)[])];
  const isSkewed = dice.chance(0.3);
  const processes = Array.from({ length: count }, (_, index) => ({
    name: 'ABC'.charAt(index),
    keys: keysOf(index),
    aheadMs: isSkewed ? dice.between(-600_000, 600_000) : dice.between(-2_000, 2_000),
  }));
  const ofOperators = new Dice(seed, 'plan of operators');
  const ofChannels = new Dice(seed, 'plan of channels');
  const hasChannels = ofChannels.chance(size.channels) || certain.includes('channels');
  const hasOperators = ofOperators.chance(size.operators) || certain.includes('operators');
  const operators = hasOperators ? drawOperators(ofOperators) : null;
  const synchronous = drawSynchronous(new Dice(seed, 'plan of synchronous sends'));
  const onSolana = new Dice(seed, 'plan of Solana');
  // Channels are on Base, and histories with both would take long.
  const hasSolana = (onSolana.chance(size.solana) && !hasChannels) || certain.includes('Solana');
  return {
    processes,
    nodes: drawNodes(dice).map((node) => ({ ...node, synchronous })),
    solana: hasSolana ? drawSolana(onSolana) : null,
    accounts: drawAccounts(new Dice(seed, 'plan of accounts')),
    channels: hasChannels ? drawChannels(ofChannels) : null,
    operators,
    // The others pay through channels.
    buyers: hasChannels ? dice.between(1, 4) : dice.between(...size.buyers),
    wallets: drawWallets(new Dice(seed, 'plan of wallets')),
    // A refund begins once its payment is final.
    faultyMs: dice.between(...size.faultyMs) + (operators ? ofOperators.between(60_000, 100_000) : 0),
    statementFails: share(0.08),
    statementAnswerLost: share(0.08),
    statementMs: dice.pick([1, 4, 30]),
    killAtMessage: dice.chance(0.6) ? 0.02 * dice.next() : 0,
    killsMax: dice.between(1, 4),
    jumps: some(3, 0.3),
    databaseCrashes: some(2, 0.15),
    restarts: some(2, 0.3),
    reorganizations: some(4, 0.6),
    depthMax: dice.pick(size.depthMax),
    finalizedAfter: size.finalizedAfter,
    revivals: some(8, 0.4),
    chainFaults: some(4, 0.5),
    nodeFaults: some(4, 0.4),
  };
}

function drawWallets(dice: Dice): WalletKind[] {
  const count = dice.chance(0.3) ? dice.between(1, 2) : 0;
  return Array.from({ length: count }, () => dice.pick(['contract', 'delegated'] as const));
}

/** One node, or two of which the second may lie. A service believes the only one that answers, so the other is in order then. */
function drawNodes(dice: Dice): Omit<NodePlan, 'synchronous'>[] {
  const latencyMs = dice.pick([
    [5, 40],
    [20, 300],
    [1, 5],
  ] as const);
  const faulty = () => {
    const entries = Object.entries(ratesMax).map(([fault, most]) => {
      const isThere = dice.chance(0.25);
      const rate = dice.next() * most;
      return [fault, isThere ? rate : 0];
    });
    return { rates: Object.fromEntries(entries), latencyMs };
  };
  const honest = { rates: {}, latencyMs };
  const kind = dice.next();
  if (kind < 0.5) return [faulty()];
  if (kind < 0.85) return [faulty(), faulty()];
  return [honest, { rates: { lie: 0.3 * dice.next() }, latencyMs }];
}

function drawSynchronous(dice: Dice): SynchronousSends | null {
  if (dice.chance(0.4)) return null;
  return {
    // Longer and shorter than our own patience, and than a block.
    waitMs: dice.pick([500, 2_200, 20_000]),
    openMax: dice.pick([1, 2, 100]),
    refusal: dice.pick(['status', 'error'] as const),
    gaps: dice.pick(['wait', 'refused', 'refused as waiting'] as const),
  };
}

function drawAccounts(dice: Dice): number {
  return dice.chance(0.4) ? dice.between(1, 2) : 0;
}

function drawOperators(dice: Dice): OperatorsPlan {
  return { count: dice.between(1, 3), removals: dice.chance(0.6) ? dice.between(1, 3) : 0 };
}

function drawChannels(dice: Dice): ChannelsPlan {
  const some = (most: number) => (dice.chance(0.4) ? dice.between(1, most) : 0);
  return {
    count: dice.between(1, 2),
    price: dice.pick([10_000n, 200_000n, 1_000_000n]),
    buyers: dice.between(2, 5),
    ...{ withdrawals: some(2), refunds: some(3), deposits: some(2), copies: some(3), removals: some(3) },
    isClosing: dice.chance(0.15),
  };
}

/** One node, or two of which the second is in order, so that the first may say what is not so. */
function drawSolana(dice: Dice): SolanaPlan {
  const share = (most: number) => (dice.chance(0.3) ? dice.next() * most : 0);
  const slots = (most: number) => Math.floor(share(most));
  const cluster: ClusterFaults = {
    ...noClusterFaults,
    ...{ skipped: share(0.3), forked: share(0.1), forkSlotsMax: 1 + slots(30), lostInFork: share(1) },
    ...{ lostOnTheWay: share(1), delayMaxMs: share(60_000) },
  };
  const answers = () => ({ lagSlotsMax: slots(60), delayMaxMs: share(1_500) });
  const faulty: SolanaNodeFaults = {
    ...{ lostRequests: share(0.3), lostAnswers: share(0.3), silent: share(0.1), repeated: share(0.2) },
    ...{ dropped: share(1), denied: share(0.3), invented: 0, ...answers() },
  };
  const honest: SolanaNodeFaults = { ...noNodeFaults, ...answers() };
  const nodes = dice.chance(0.5) ? [faulty] : [{ ...faulty, invented: share(0.2) }, honest];
  const some = (most: number) => (dice.chance(0.5) ? dice.between(1, most) : 0);
  return { cluster, nodes, forks: some(3), nodeFaults: some(3) };
}
