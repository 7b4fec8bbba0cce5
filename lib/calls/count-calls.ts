import type { Operation } from '@/lib/catalog/operation';
import type { Metrics } from '@/lib/platform/metrics/metrics';
import type { CallResult } from './call-result';
import { isFailure, type PaidCall } from './paid-call';

/** The parts of a paid call whose time is measured, in order. Phases of different calls overlap. */
type Phase = 'look_up' | 'verify' | 'claim' | 'prepare' | 'settle' | 'deliver' | 'record';

interface Counted {
  readonly metrics: Metrics;
}

const atomicPerUsdc = 1_000_000;

/** Does a phase of a call, and measures how long it takes, however it ends. */
export function timePhase<T>(
  { metrics }: Counted,
  { id: operation }: Pick<Operation, 'id'>,
  phase: Phase,
  work: () => Promise<T>,
): Promise<T> {
  const { observer } = metrics;
  const end = metrics.phaseSeconds.startTimer({ operation, phase });
  const ended = () => {
    end();
  };
  const working = observer ? observer.phase(phase, work) : work();
  working.then(ended, ended);
  return working;
}

/** Counts the result of advancing a call. A replayed answer is not counted again. */
export function countResult({ metrics }: Counted, call: PaidCall, result: CallResult): void {
  const { network } = call.payment;
  metrics.observer?.note({ 'tuppence.network': network, 'tuppence.result': nameOf(result) });
  if (result.kind === 'expired' || (result.kind === 'answered' && !result.isFirst)) return;
  metrics.paidCalls.inc({ operation: call.operation, network, result: nameOf(result) });
}

function nameOf(result: CallResult): string {
  if (result.kind !== 'answered') return result.kind;
  return isFailure(result.answer) ? 'kept' : 'delivered';
}

/**
 * Counts the price of a call that was answered for the first time. A deposit is not revenue until it is spent.
 * @param creditedAccount the prepaid account of a deposit, otherwise null
 */
export function countRevenue({ metrics }: Counted, call: PaidCall, creditedAccount: string | null): void {
  if (call.answer !== null || creditedAccount !== null) return;
  const { network, amountAtomic } = call.payment;
  metrics.revenueUsdc.inc({ operation: call.operation, network }, Number(amountAtomic) / atomicPerUsdc);
}
