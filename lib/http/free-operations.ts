import type { z } from 'zod';
import { account, dryRun as catalogDryRun, forms, free, operations, tools } from '@/lib/catalog';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import { testFields } from '@/lib/catalog/test-service';
import { pricesDocument } from '@/lib/discovery/prices';
import { ApiError, isApiError } from '@/lib/errors/api-error';
import type { NextStep, PaymentOutcome } from '@/lib/errors/codes';
import { findPaidCallSummary, type PaidCallSummary } from '@/lib/ledger/paid-call-summary';
import { toPrice } from '@/lib/payments/money';
import { accountOf } from '@/lib/services/accounts/access';
import { openAccountFor, replaceToken, revokeAccount } from '@/lib/services/accounts/open';
import { describeAccount, listTransactions } from '@/lib/services/accounts/statement';
import { bookingLinks } from '@/lib/services/flights/booking-links';
import { answerResponses } from '@/lib/services/forms/responses-endpoint';
import { listUploads } from '@/lib/services/uploads/list';
import { removeForOwner } from '@/lib/services/uploads/remove';
import { isAvailable } from '@/lib/upstream/availability';
import type { ApiRequest, PathParams } from './api-message';
import type { HttpApp } from './app';
import { readAddress, readBytes, readInput } from './body';
import { clientAddressOf } from './client-address';
import { dryRun } from './dry-run';
import type { FreeAnswer } from './free-call';

/** The handler of a free operation. */
type FreeHandler = (app: HttpApp, request: ApiRequest, params: PathParams) => Promise<FreeAnswer>;

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
  [free.prices, async (app) => ({ body: prices(app) })],
  [catalogDryRun.check, dryRun],
  [free.paidCall, (app, _, { id }) => paidCallStatus(app, id)],
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

type Status = z.output<typeof free.paidCall.output>;

/** What each state means for the money and for the caller. */
const meaning: Readonly<Record<PaidCallSummary['state'], { payment: PaymentOutcome; retry: NextStep }>> = {
  claimed: { payment: 'in_flight', retry: 'same_request' },
  prepared: { payment: 'in_flight', retry: 'same_request' },
  settling: { payment: 'in_flight', retry: 'same_request' },
  unknown: { payment: 'unknown', retry: 'same_request' },
  settled: { payment: 'kept', retry: 'same_request' },
  delivered: { payment: 'kept', retry: 'same_request' },
  kept: { payment: 'kept', retry: 'stop' },
  needs_attention: { payment: 'kept', retry: 'stop' },
  // Anyone may still submit the payment. An identical request looks at the chain again.
  refused: { payment: 'unknown', retry: 'same_request' },
  refunded: { payment: 'refunded', retry: 'stop' },
};

function describeRefund(refund: NonNullable<PaidCallSummary['refund']>): Status['refund'] {
  const isPosted = refund.method === 'account';
  return {
    state: refund.state === 'confirmed' ? 'confirmed' : 'sent',
    amount: toPrice(refund.amountAtomic),
    currency: 'USDC',
    network: refund.network,
    transaction: refund.transactionHash,
    accountId: isPosted ? refund.recipient : null,
    at: refund.movedAt.toISOString(),
  };
}

const refusedForGood = { payment: 'none', retry: 'pay' } as const;

/** `GET /v1/paid-calls/{id}`: the state of a call and what to do next, without its input or answer. */
async function paidCallStatus(app: HttpApp, id: unknown): Promise<{ body: Status }> {
  const call = typeof id === 'string' ? await findPaidCallSummary(app, id) : null;
  if (!call) throw new ApiError('paid_call_not_found');
  const body: Status = {
    id: call.id,
    operation: call.operation,
    state: call.state,
    price: toPrice(call.amountAtomic),
    currency: 'USDC',
    ...testFields(app.settings.NETWORKS === 'test'),
    network: call.network,
    transaction: call.transactionHash,
    reason: call.refusalReason,
    ...(call.refusalFinalAt === null ? meaning[call.state] : refusedForGood),
    refund: call.refund && describeRefund(call.refund),
    createdAt: call.createdAt.toISOString(),
    movedAt: call.movedAt.toISOString(),
  };
  return { body };
}
