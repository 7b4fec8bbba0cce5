import type { z } from 'zod';
import { wallet } from '@/lib/catalog';
import { readPaidCallSummaries } from '@/lib/ledger/paid-call-summary';
import { callsPaidOn, findWalletCall, listWalletCalls, type WalletCall } from '@/lib/ledger/wallet-calls';
import type { SignedInWallet } from '@/lib/payments/sign-in/sign-in-signature';
import { csvHeaders, csvText, prefersCsv } from '@/lib/platform/csv';
import type { WithDatabase } from '@/lib/platform/database/database';
import { type CallChoice, toPage, wrongCursor } from '@/lib/platform/database/page';
import type { Platform } from '@/lib/platform/platform';
import { listForms } from '@/lib/services/forms/list-forms';
import { listUploads } from '@/lib/services/uploads/list-uploads';
import type { ApiRequest } from './api-message';
import { type CallStatus, describeCall } from './call-status';
import { type FreeHandler, forWallet, type WalletRequest } from './free-handler';
import type { SignInDeps } from './sign-in';

const columns = [
  'date',
  'operation',
  'network',
  'amount',
  'currency',
  'transaction',
  'paidCallId',
  'state',
  'spent',
  'refundTransaction',
] as const;

/**
 * The calls of a wallet for bookkeeping, one per line. `amount` is the price; `spent` is what the wallet has paid for
 * the call in the end, so that the column adds up.
 */
export function spendingCsv(calls: readonly CallStatus[]): string {
  return csvText([columns, ...calls.map((call) => lineOf(call))]);
}

function lineOf({ id, operation, state, price, network, transaction, createdAt, ...call }: CallStatus) {
  const cells: Readonly<Record<(typeof columns)[number], string>> = {
    date: createdAt,
    operation,
    network,
    amount: price,
    currency: call.currency,
    transaction: transaction ?? '',
    paidCallId: id,
    state,
    spent: spentOf(call.payment, price),
    refundTransaction: call.refund?.transaction ?? '',
  };
  return columns.map((column) => cells[column]);
}

/** Empty while it is not known whether the payment was carried out. */
function spentOf(payment: CallStatus['payment'], price: string): string {
  if (payment === 'kept') return price;
  return payment === 'refunded' ? '0' : '';
}

interface ListsDeps extends WithDatabase, Pick<Platform, 'settings' | 'clock' | 'keys'> {}

/** What a wallet has bought, for its owner, who signs in with it. */
export const walletHandlers: readonly FreeHandler<ListsDeps & SignInDeps>[] = [
  forWallet(wallet.listUploads, async ({ app, owner, query }) => ({
    body: await listUploads(app, owner.address, query, app.clock.date(), callsOf(app, owner)),
  })),
  forWallet(wallet.listForms, async ({ app, owner, query }) => ({
    body: await listForms(app, owner.address, query, app.clock.date(), callsOf(app, owner)),
  })),
  forWallet(wallet.listCalls, answerCalls),
];

/** A contract wallet owns only what was paid on its own network. */
function callsOf(app: WithDatabase, { onlyOn }: SignedInWallet): CallChoice | null {
  return onlyOn === null ? null : (ids) => callsPaidOn(app, onlyOn, ids);
}

type CallsQuery = z.output<typeof wallet.callsOfWallet>;

/** `GET /v1/wallet/calls`: JSON, or CSV for clients that prefer it. */
async function answerCalls({ app, owner, query, request }: WalletRequest<CallsQuery, ListsDeps>) {
  const { address: payer, onlyOn } = owner;
  const { cursor, limit } = query;
  const isTheirs = ({ network }: WalletCall) => onlyOn === null || network === onlyOn;
  const after = cursor === undefined ? null : await findWalletCall(app, payer, cursor);
  if (cursor !== undefined && !(after && isTheirs(after))) throw wrongCursor();
  const [from, to] = [query.from, query.to].map((text) => (text === undefined ? undefined : new Date(text)));
  const { rows, nextCursor } = await toPage(
    (last, take) => listWalletCalls(app, { payer, from, to, after: last, limit: take }),
    { after, limit },
    onlyOn === null ? null : async (found) => found.filter(isTheirs),
  );
  const summaries = await readPaidCallSummaries(
    app,
    rows.map(({ id }) => id),
  );
  const calls = summaries.map((call) => describeCall(app, call));
  if (!prefersCsv(request.headers.get('accept') ?? '')) return { body: { calls, nextCursor } };
  return {
    status: 200,
    headers: { ...csvHeaders('calls.csv'), ...linkToNext(app, request, nextCursor) },
    body: spendingCsv(calls),
  };
}

/** CSV has no place for the cursor of the next page (RFC 8288). */
function linkToNext(
  { settings }: Pick<Platform, 'settings'>,
  request: ApiRequest,
  nextCursor: string | null,
): Record<string, string> {
  if (nextCursor === null) return {};
  const { pathname, searchParams } = new URL(request.url);
  searchParams.set('cursor', nextCursor);
  return { Link: `<${settings.PUBLIC_URL}${pathname}?${searchParams}>; rel="next"` };
}
