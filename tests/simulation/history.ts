import { Buyers } from './buyers';
import { ChannelActs } from './channels/acts';
import { areChannelsQuiet, countChannels, findChannelViolations } from './channels/checks';
import { findViolations, type Violation } from './checks';
import type { Coverage } from './coverage';
import { Faults } from './faults';
import { Fleet } from './fleet';
import type { Plan } from './plan';
import { findRefundViolations } from './refunds/checks';
import { Operators } from './refunds/operators';
import { takeRefundsAway } from './refunds/take-away';
import { makeCryptoSynchronous } from './synchronous-crypto';
import { World } from './world';

/** After all faults have ended, everything has to be in order within this time: signed payments expire, and blocks become final. */
const quietMs = 8 * 60_000;
const stepMs = 5_000;
/** The most lines that are printed about a failure. */
const linesMax = 150;

export interface HistoryResult {
  readonly world: World;
  readonly violations: readonly Violation[];
}

/** Runs the history of a seed, and checks what is promised. @param plan by the seed if left out */
export async function runHistory(seed: number, coverage?: Coverage, plan?: Plan): Promise<HistoryResult> {
  const { random } = Math;
  const { stackTraceLimit } = Error;
  const endSynchronousCrypto = makeCryptoSynchronous();
  const world = new World(seed, coverage, plan);
  // Only retries use it, and they have to be the same in each run.
  Math.random = world.dice('Math.random').next;
  // Requests fail by the thousand, and a stack is much of the work of each.
  Error.stackTraceLimit = 0;
  try {
    const fleet = new Fleet(world);
    const buyers = new Buyers(world, fleet);
    const { chain, time } = world;
    const { operators: ofOperators, faultyMs } = world.plan;
    chain.start();
    fleet.start();
    void fleet.watch();
    new Faults(world, fleet).schedule();
    const operators = ofOperators && new Operators(world, fleet, buyers);
    operators?.start(ofOperators?.count ?? 0);
    if (ofOperators) takeRefundsAway(world, ofOperators.removals);
    const acts = new ChannelActs(world, fleet);
    acts.schedule();
    const isOver = () =>
      buyers.isOver && acts.isOver && (operators?.isOver ?? true) && world.isQuiet && areChannelsQuiet(world);
    let error: unknown = null;
    buyers.buy().catch((cause: unknown) => {
      error = cause;
    });
    await time.pass(faultyMs + 1);
    for (let passed = 0; passed < quietMs && !isOver(); passed += stepMs) {
      await time.pass(stepMs);
      if (error) throw error;
    }
    const violations = [
      ...findViolations(world, buyers.orders),
      ...findChannelViolations(world, buyers.orders),
      ...(operators ? findRefundViolations(world, operators) : []),
    ];
    count(world);
    countChannels(world);
    return { world, violations };
  } finally {
    Math.random = random;
    Error.stackTraceLimit = stackTraceLimit;
    endSynchronousCrypto();
  }
}

function count({ database, coverage }: World): void {
  const { paidCallMove, refundMove, refund } = database.tables;
  for (const { fromState, toState } of paidCallMove.all())
    coverage.count('call', `${fromState ?? 'new'} > ${toState}`);
  for (const { fromState, toState, note } of refundMove.all())
    coverage.count(
      'refund',
      `${fromState ?? 'new'} > ${toState}${note === 'reorganized' ? `, ${note}` : ''}`,
    );
  for (const { network, method, state } of refund.all())
    coverage.count('refund', `${state} by ${method} on ${network}`);
}

/** A failure as its reader needs it: what is wrong, what happened in order, and how to repeat it. */
export function describeFailure({ world, violations }: HistoryResult, spec: string): string {
  const { seed, log } = world;
  return [
    `Seed ${seed}:`,
    ...violations.map(({ names, promise }) => `- ${[...names, promise].join(': ')}`),
    ...log.lines([...violations.flatMap(({ names }) => names), 'chain', 'world', 'database'], linesMax),
    `Repeat it: SIMULATION_SEED=${seed} SIMULATION_HISTORIES=1 npm test -- ${spec}`,
  ].join('\n');
}
