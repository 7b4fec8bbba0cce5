import type { CallQuery } from '@/lib/operator/calls/filters';
import { findCalls } from '@/lib/operator/calls/find';
import { callTimeline } from '@/lib/operator/calls/timeline';
import { readLatency, readRefusals } from '@/lib/operator/figures/calls';
import { readDays, readFigures } from '@/lib/operator/figures/daily';
import type { OperatorApp } from '../app';

/**
 * What the pages of the console ask of the app. The framework bundles pages apart from the app, with a copy of every module.
 * What moves money, or puts a statement together from parts, must run in the app's own copy, and so is called through this.
 */
export type OperatorConsole = ReturnType<typeof openConsole>;

export function openConsole(app: OperatorApp) {
  return {
    findCalls: (query: CallQuery) => findCalls(app, query),
    callTimeline: (id: string) => callTimeline(app, id),
    readDays: (count: number) => readDays(app, count),
    readFigures: (from: Date, to: Date) => readFigures(app, from, to),
    readLatency: () => readLatency(app),
    readRefusals: (from: Date) => readRefusals(app, from),
  };
}
