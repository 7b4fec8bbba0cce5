import type { Operator } from '@/lib/db/operator-actions';
import { refundsOf } from '@/lib/ledger/refunds';
import type { CallQuery } from '@/lib/operator/calls/filters';
import { findCalls } from '@/lib/operator/calls/find';
import { callTimeline } from '@/lib/operator/calls/timeline';
import { readLatency, readRefusals } from '@/lib/operator/figures/calls';
import { readDays, readFigures } from '@/lib/operator/figures/daily';
import type { OperatorApp } from '../app';
import {
  cancel,
  carryOut,
  examineCancel,
  examineOrder,
  findRefundOptions,
  type RefundOrder,
} from './refunds';
import { readWallets } from './wallets';

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
    readWallets: () => readWallets(app),
    refundsOf: (paidCallId: string) => refundsOf(app, paidCallId),
    findRefundOptions: (paidCallId: string) => findRefundOptions(app, paidCallId),
    examineOrder: (order: RefundOrder) => examineOrder(app, order),
    carryOut: (operator: Operator, order: RefundOrder) => carryOut(app, operator, order),
    examineCancel: (refundId: string) => examineCancel(app, refundId),
    cancel: (operator: Operator, refundId: string, note: string) => cancel(app, operator, refundId, note),
  };
}
