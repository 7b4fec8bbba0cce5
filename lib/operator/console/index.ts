import { buffer } from 'node:stream/consumers';
import { refundsOf } from '@/lib/ledger/refund-records';
import { readWorklist } from '@/lib/ledger/worklist';
import type { Operator } from '@/lib/operator/actions';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import { type ContentTarget, openReports } from '@/lib/services/abuse-reports';
import type { FormContent } from '@/lib/services/forms/form';
import { exportCalls } from '../calls/calls-csv';
import type { CallFilters, CallQuery } from '../calls/filters';
import { findCalls } from '../calls/find-calls';
import { callTimeline } from '../calls/timeline';
import { readLatency, readRefusals } from '../figures/call-figures';
import { readDays, readFigures } from '../figures/daily';
import {
  findContent,
  type Looking,
  showContent as readContent,
  readTitles,
  showReport,
} from '../moderation/content';
import {
  type Decision,
  dismissReport,
  erase,
  restore,
  type TakeDownReason,
  takeDown,
} from '../moderation/take-down';
import type { OperatorApp } from '../operator-app';
import { declineRefund, readRefundRequest, showRefundMessage } from '../refunds/decline-refund';
import type { TransferRequest } from '../transfers/find-transfers';
import { channelPages } from './channels';
import {
  cancel,
  carryOut,
  examineCancel,
  examineOrder,
  findRefundOptions,
  type RefundOrder,
  type SigningStep,
  takeSigningStep,
} from './refund-orders';
import { readDependencies, readJobs, readProcesses, type SystemStatus } from './system';
import { book, findTransfers, keep } from './transfers';
import { readWallets } from './wallets';

/**
 * The functions of the app that the console's pages call. The framework bundles pages separately from the app, with a copy of
 * every module. Code that moves money, or composes a statement from parts, must run in the app's own copy, so pages call it
 * through this.
 */
export type OperatorConsole = ReturnType<typeof openConsole>;

export function openConsole(app: OperatorApp) {
  return {
    readWorklist: (limit: number) => readWorklist(app, limit),
    async readSystem(): Promise<SystemStatus> {
      const [jobs, processes] = await Promise.all([readJobs(app), readProcesses(app)]);
      return { ...readDependencies(app), jobs, processes };
    },
    findCalls: (query: CallQuery) => findCalls(app, query),
    exportCalls: (operator: Operator, filters: CallFilters) => exportCalls(app, operator, filters),
    callTimeline: (id: string) => callTimeline(app, id),
    readDays: (count: number) => readDays(app, count),
    readFigures: (from: Date, to: Date) => readFigures(app, from, to),
    readLatency: () => readLatency(app),
    readRefusals: (from: Date) => readRefusals(app, from),
    readWallets: () => readWallets(app),
    ...channelPages(app),

    refundsOf: (paidCallId: string) => refundsOf(app, paidCallId),
    findRefundOptions: (paidCallId: string) => findRefundOptions(app, paidCallId),
    examineOrder: (order: RefundOrder) => examineOrder(app, order),
    carryOut: (operator: Operator, order: RefundOrder) => carryOut(app, operator, order),
    takeSigningStep: (operator: Operator, step: SigningStep) => takeSigningStep(app, operator, step),
    examineCancel: (refundId: string) => examineCancel(app, refundId),
    cancel: (operator: Operator, refundId: string, note: string) => cancel(app, operator, refundId, note),

    findTransfers: (request: TransferRequest) => findTransfers(app, request),
    bookTransfers: (operator: Operator, request: TransferRequest, note: string) =>
      book(app, operator, request, note),
    readRefundRequest: (paidCallId: string) => readRefundRequest(app, paidCallId),
    showRefundMessage: (operator: Operator, paidCallId: string) =>
      showRefundMessage(app, operator, paidCallId),
    declineRefund: (operator: Operator, paidCallId: string, answer: string) =>
      declineRefund(app, operator, paidCallId, answer),
    keepTransfer: (operator: Operator, paidCallId: string, note: string) =>
      keep(app, operator, paidCallId, note),

    readTitles: (targets: readonly ContentTarget[]) => readTitles(app, targets),
    openReports: (limit: number) => openReports(app, limit),
    findContent: (idOrUrl: string) => findContent(app, idOrUrl),
    showContent: (target: ContentTarget, looking: Looking) => showContent(app, target, looking),
    showReport: (id: string, looking: Looking) => showReport(app, id, looking),
    takeDown: (target: ContentTarget, decision: Decision & { reason: TakeDownReason; isErased: boolean }) =>
      takeDown(app, target, decision),
    restore: (target: ContentTarget, decision: Decision) => restore(app, target, decision),
    eraseContent: (target: ContentTarget, decision: Parameters<typeof erase>[2]) =>
      erase(app, target, decision),
    dismissReport: (id: string, decision: Decision) => dismissReport(app, id, decision),
  };
}

/** Content that a caller sent, for moderation. A part that was erased, or never arrived, is null. */
interface ContentToJudge {
  readonly form: FormContent | null;
  /** A file has at most 10 MiB. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
}

interface ShowContentDeps
  extends Pick<WithDatabase & WithStore & Platform, 'db' | 'store' | 'clock' | 'keys'> {}

/** Reads the content of a form or a file. The look is recorded first. */
async function showContent(
  app: ShowContentDeps,
  target: ContentTarget,
  looking: Looking,
): Promise<ContentToJudge> {
  const shown = await readContent(app, target, looking);
  if (shown.kind === 'form') return { form: shown.form, bytes: null };
  return { form: null, bytes: shown.bytes && new Uint8Array(await buffer(shown.bytes)) };
}
