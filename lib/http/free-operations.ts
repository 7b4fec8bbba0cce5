import type { z } from 'zod';
import type { CallStore } from '@/lib/calls/call-store';
import {
  account,
  dryRun as catalogDryRun,
  formLinks,
  formResponses,
  forms,
  free,
  operations,
  tools,
  uploads,
  wallet,
} from '@/lib/catalog';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { pricesDocument } from '@/lib/discovery/prices';
import { findPaidCallSummary } from '@/lib/ledger/paid-call-summary';
import type { Payments } from '@/lib/payments/app-payments';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { Requester, WithThreads } from '@/lib/platform/threads';
import { isAvailable } from '@/lib/platform/upstream/availability';
import { openAccountFor, replaceToken, revokeAccount } from '@/lib/services/accounts/open';
import { describeAccount, listTransactions } from '@/lib/services/accounts/statement';
import { bookingLinks } from '@/lib/services/flights/booking-links';
import { deleteResponse } from '@/lib/services/forms/delete-response';
import { createLinks } from '@/lib/services/forms/links/create-links';
import { answerResponses } from '@/lib/services/forms/responses-endpoint';
import { summarizeForm } from '@/lib/services/forms/summarize';
import { listUploads } from '@/lib/services/uploads/list-uploads';
import { removeForOwner } from '@/lib/services/uploads/remove';
import { describeUpload } from '@/lib/services/uploads/upload-status';
import type { ApiRequest, PathParams } from './api-message';
import { readAddress } from './body';
import { type CallStatus, describeCall } from './call-status';
import { clientAddressOf } from './client-address';
import { dryRun } from './dry-run';
import { type FreeHandler, forAnybody, forHolder, formOf, forReader, runTool } from './free-handler';
import type { HttpApp } from './http-app';
import { answerRefundRequest } from './refund-request';
import { walletHandlers } from './wallet-lists';

/** The handler of every free operation. One that is left out fails tests/unit/services.spec.ts. */
const handlers: readonly FreeHandler<HttpApp>[] = [
  forAnybody(uploads.status, async (app, request, params) => ({
    body: await describeUpload(app, readAddress(uploads.status.params, request, params).id),
  })),
  forAnybody(forms.responses, (app, request, { id }) => answerResponses(app, request, id)),
  forReader(formResponses.summary, summarizeForm),
  forReader(formResponses.deleteResponse, (app, form, { response }) => deleteResponse(app, form, response)),
  forAnybody(formLinks.createLinks, linksToForm),
  forAnybody(tools.flightBookingLinks, async (_, request, params) => ({
    body: await runTool(tools.flightBookingLinks, request, params, bookingLinks),
  })),
  forAnybody(account.create, async (app, request) => ({
    body: await openAccountFor(app, clientAddressOf(app, request), app.clock.date()),
  })),
  forHolder(account.get, describeAccount),
  forHolder(account.transactions, listTransactions),
  forHolder(account.listUploads, listUploads),
  forHolder(account.deleteUpload, removeForOwner),
  forHolder(account.rotateToken, replaceToken),
  forHolder(account.revokeToken, revokeAccount),
  ...walletHandlers,
  forAnybody(wallet.requestRefund, answerRefundRequest),
  forAnybody(free.prices, async (app) => ({ body: prices(app) })),
  forAnybody(catalogDryRun.check, dryRun),
  forAnybody(free.paidCall, async (app, _, { id }) => ({ body: await paidCallStatus(app, id) })),
  forAnybody(free.receipt, async (app, _, { id }) => ({ body: await receiptOfCall(app, id) })),
  forAnybody(free.health, async () => ({ body: { status: 'ok' as const } })),
];

const byOperation = new Map(handlers.map(({ operation, answer }) => [operation.id, answer]));

/** What answers requests to a free operation; null when there is nothing. */
export function findFreeHandler(operationId: string): FreeHandler<HttpApp>['answer'] | null {
  return byOperation.get(operationId) ?? null;
}

interface LinksDeps
  extends WithThreads,
    Pick<WithDatabase, 'db'>,
    Pick<Platform, 'settings' | 'keys' | 'clock'> {
  readonly clientAddressHeader: string;
}

/** `POST /v1/forms/{id}/links` */
async function linksToForm(app: LinksDeps, request: ApiRequest, params: PathParams) {
  const form = await formOf(app, request, params);
  const requester: Requester = { address: clientAddressOf(app, request), owner: null, priority: 'free' };
  const body = await runTool(formLinks.createLinks, request, params, ({ links }) =>
    createLinks(app, form, links, requester),
  );
  return { body };
}

interface PricesDeps extends Pick<Platform, 'settings'> {
  readonly payments: Pick<Payments, 'networks'>;
}

function prices(app: PricesDeps) {
  return pricesDocument(
    operations.filter((operation) => isAvailable(app, operation)),
    app.payments.networks.offered().map(({ network }) => network),
    app.settings.NETWORKS === 'test',
  );
}

interface ReceiptDeps extends Pick<Platform, 'settings'> {
  readonly calls: Pick<CallStore, 'find'>;
}

/** `GET /v1/paid-calls/{id}/receipt` */
async function receiptOfCall(
  { calls, settings }: ReceiptDeps,
  id: unknown,
): Promise<z.output<typeof free.receipt.output>> {
  const call = typeof id === 'string' ? await calls.find(id) : null;
  if (!call) throw new ApiError('paid_call_not_found');
  const { answer } = call;
  if (!answer?.receipt) throw new ApiError('receipt_not_found');
  const keys = `${settings.PUBLIC_URL}/.well-known/did.json`;
  return { paidCallId: call.id, receipt: answer.receipt, keys };
}

/** `GET /v1/paid-calls/{id}` */
async function paidCallStatus(
  app: WithDatabase & Pick<Platform, 'settings'>,
  id: unknown,
): Promise<CallStatus> {
  const call = typeof id === 'string' ? await findPaidCallSummary(app, id) : null;
  if (!call) throw new ApiError('paid_call_not_found');
  return describeCall(app, call);
}
