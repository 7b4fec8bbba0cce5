import type { z } from 'zod';
import { account, dryRun as catalogDryRun, forms, free, operations, tools } from '@/lib/catalog';
import { ApiError, isApiError } from '@/lib/catalog/errors/api-error';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import { pricesDocument } from '@/lib/discovery/prices';
import { findPaidCallSummary } from '@/lib/ledger/paid-call-summary';
import { isAvailable } from '@/lib/platform/upstream/availability';
import { accountOf } from '@/lib/services/accounts/access';
import { openAccountFor, replaceToken, revokeAccount } from '@/lib/services/accounts/open';
import { describeAccount, listTransactions } from '@/lib/services/accounts/statement';
import { bookingLinks } from '@/lib/services/flights/booking-links';
import { answerResponses } from '@/lib/services/forms/responses-endpoint';
import { listUploads } from '@/lib/services/uploads/list';
import { removeForOwner } from '@/lib/services/uploads/remove';
import type { ApiRequest, PathParams } from './api-message';
import { readAddress, readBytes, readInput } from './body';
import { describeCall } from './call-status';
import { clientAddressOf } from './client-address';
import { dryRun } from './dry-run';
import type { FreeAnswer, FreeHandler } from './free-call';
import type { HttpApp } from './http-app';
import { walletHandlers } from './wallet-lists';

/** Every free operation with its handler. One that is left out fails tests/unit/services.spec.ts. */
const handlers: readonly (readonly [FreeOperation, FreeHandler])[] = [
  [forms.responses, (app, request, { id }) => answerResponses(app, request, id)],
  [tools.flightBookingLinks, flightBookingLinks],
  [
    account.create,
    async (app, request) => ({
      body: await openAccountFor(app, clientAddressOf(app, request), app.clock.date()),
    }),
  ],
  [account.get, forHolder(account.get.params, describeAccount)],
  [account.transactions, forHolder(account.transactionsQuery, listTransactions)],
  [account.listUploads, forHolder(account.uploadsQuery, listUploads)],
  [account.deleteUpload, forHolder(account.deleteUpload.params, removeForOwner)],
  [account.rotateToken, forHolder(account.rotateToken.params, replaceToken)],
  [account.revokeToken, forHolder(account.revokeToken.params, revokeAccount)],
  ...walletHandlers,
  [free.prices, async (app) => ({ body: prices(app) })],
  [catalogDryRun.check, dryRun],
  [free.paidCall, (app, _, { id }) => paidCallStatus(app, id)],
  [free.receipt, (app, _, { id }) => receiptOfCall(app, id)],
  [free.health, async () => ({ body: { status: 'ok' } })],
];

const byOperation = new Map(handlers.map(([{ id }, handler]) => [id, handler]));

/** The handler of a free operation; null when there is none. */
export function findFreeHandler(operationId: string): FreeHandler | null {
  return byOperation.get(operationId) ?? null;
}

/**
 * A handler for requests with an account's token.
 * @param schema of query and path parameters
 */
function forHolder<Schema extends z.ZodObject>(
  schema: Schema,
  work: (app: HttpApp, accountId: string, input: z.output<Schema>, now: Date) => Promise<unknown>,
): FreeHandler {
  return async (app, request, params) => {
    const accountId = await accountOf(app, request);
    return { body: await work(app, accountId, readAddress(schema, request, params), app.clock.date()) };
  };
}

/** Parses the body with the operation's schemas, and answers an invalid one with an example as paid calls do. */
async function flightBookingLinks(
  _app: HttpApp,
  request: ApiRequest,
  params: PathParams,
): Promise<FreeAnswer> {
  const operation = tools.flightBookingLinks;
  const bytes = await readBytes(request);
  try {
    return { body: bookingLinks(readInput(operation, bytes, params)) };
  } catch (error) {
    if (!isApiError(error) || error.code !== 'invalid_input') throw error;
    const { reason, issues } = error;
    throw new ApiError('invalid_input', { reason, issues, example: operation.minimalBody });
  }
}

function prices(app: HttpApp) {
  return pricesDocument(
    operations.filter((operation) => isAvailable(app, operation)),
    app.payments.networks.offered().map(({ network }) => network),
    app.settings.NETWORKS === 'test',
  );
}

/** `GET /v1/paid-calls/{id}/receipt` */
async function receiptOfCall(
  app: HttpApp,
  id: unknown,
): Promise<{ body: z.output<typeof free.receipt.output> }> {
  const call = typeof id === 'string' ? await app.calls.find(id) : null;
  if (!call) throw new ApiError('paid_call_not_found');
  const { answer } = call;
  if (!answer?.receipt) throw new ApiError('receipt_not_found');
  const keys = `${app.settings.PUBLIC_URL}/.well-known/did.json`;
  return { body: { paidCallId: call.id, receipt: answer.receipt, keys } };
}

/** `GET /v1/paid-calls/{id}` */
async function paidCallStatus(app: HttpApp, id: unknown): Promise<FreeAnswer> {
  const call = typeof id === 'string' ? await findPaidCallSummary(app, id) : null;
  if (!call) throw new ApiError('paid_call_not_found');
  return { body: describeCall(app, call) };
}
