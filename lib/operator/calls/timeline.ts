import type { PaidCallStep } from '@/lib/ledger/states';
import { listActions, type OperatorAction } from '@/lib/operator/actions';
import { transactionPage } from '@/lib/payments/explorers';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Prisma } from '@/lib/platform/database/generated/client';

/** Every column of the call, except what its caller sent and the answer. */
const callColumns = {
  id: true,
  operation: true,
  rail: true,
  network: true,
  asset: true,
  payer: true,
  payTo: true,
  amountAtomic: true,
  state: true,
  moveNote: true,
  refusalReason: true,
  refusalFinalAt: true,
  answerStatus: true,
  answerExpiresAt: true,
  transactionHash: true,
  settlementId: true,
  validBefore: true,
  creditedAccount: true,
  reorganizations: true,
  attempts: true,
  attemptAt: true,
  workedBy: true,
  createdAt: true,
  movedAt: true,
} as const;

const settlementColumns = {
  id: true,
  hash: true,
  network: true,
  signer: true,
  nonce: true,
  payments: true,
  state: true,
  blockNumber: true,
  gasUsed: true,
  feeAtomic: true,
  feeUnit: true,
  reorganizations: true,
  createdAt: true,
  confirmedAt: true,
  finalAt: true,
} as const;

/** A move of the call. `from` is null for its beginning, and `note` a code. */
export interface TimelineMove {
  readonly at: Date;
  readonly from: PaidCallStep | null;
  readonly to: PaidCallStep;
  readonly note: string | null;
}

/** An entry of the ledger. `unit` is usdc, wei or lamport, and `amountAtomic` counts it in atomic units. */
export interface TimelinePosting {
  readonly at: Date;
  readonly kind: string;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountAtomic: bigint;
  readonly unit: string;
}

/** A transaction that carried the call's payment, was replaced while it did, or spent gas on it in vain. */
export type TimelineTransaction = Omit<
  Prisma.SettlementTransactionGetPayload<{ select: typeof settlementColumns }>,
  'feeAtomic'
> & {
  /** The whole fee, including the share of the transaction's other payments, in `feeUnit` (wei or lamport). */
  readonly feeAtomic: bigint | null;
  /** The transaction in the public explorer; null where there is none. */
  readonly page: string | null;
  /** Gas that it spent on this call without carrying out the payment; 0 normally. */
  readonly gasInVain: bigint;
};

/** Whether there is a call with this id. */
export async function isCall(app: Pick<WithDatabase, 'db'>, id: string): Promise<boolean> {
  return (await app.db.paidCall.count({ where: { id } })) === 1;
}

/** Everything that the ledger knows about one paid call. Nothing that its caller sent, and never the content of its answer. */
export interface CallTimeline {
  readonly call: Prisma.PaidCallGetPayload<{ select: typeof callColumns }> & {
    /** Whether the answer can still be replayed. `none` until there is one. */
    readonly answer: 'none' | 'stored' | 'erased';
    /** The call's transaction in the public explorer; null without one. */
    readonly transactionPage: string | null;
  };
  readonly moves: readonly TimelineMove[];
  readonly postings: readonly TimelinePosting[];
  readonly transactions: readonly TimelineTransaction[];
  /** The ids of what it bought: uploads (`up_…`) and forms (`fm_…`). */
  readonly bought: readonly string[];
  /** What operators did about the call, newest first; at most 50. */
  readonly actions: readonly OperatorAction[];
}

/** The timeline of a paid call; null when there is none with this id. */
export async function callTimeline(app: Pick<WithDatabase, 'db'>, id: string): Promise<CallTimeline | null> {
  const call = await app.db.paidCall.findUnique({
    where: { id },
    select: {
      ...callColumns,
      moves: {
        orderBy: { id: 'asc' },
        select: { at: true, fromState: true, toState: true, note: true },
      },
      postings: {
        orderBy: { id: 'asc' },
        select: {
          at: true,
          kind: true,
          debitAccount: true,
          creditAccount: true,
          amountAtomic: true,
          unit: true,
        },
      },
      gasInVain: { select: { settlementId: true, gas: true } },
    },
  });
  if (!call) return null;
  const { moves, postings, gasInVain, ...facts } = call;
  const gasBySettlement = new Map(gasInVain.map(({ settlementId, gas }) => [settlementId, gas]));
  const [withAnswer, transactions, bought, { actions }] = await Promise.all([
    app.db.paidCall.count({ where: { id, answer: { not: null } } }),
    readTransactions(app, call.settlementId, gasBySettlement),
    readBought(app, id),
    listActions(app, { targetKind: 'paid_call', targetId: id, limit: 50 }),
  ]);
  const answer = withAnswer > 0 ? 'stored' : facts.answerStatus === null ? 'none' : 'erased';
  const { network, transactionHash } = facts;
  return {
    call: { ...facts, answer, transactionPage: transactionHash && transactionPage(network, transactionHash) },
    moves: moves.map(({ at, fromState, toState, note }) => ({ at, from: fromState, to: toState, note })),
    postings: postings.map(({ amountAtomic, ...posting }) => ({
      ...posting,
      amountAtomic: BigInt(amountAtomic.toFixed()),
    })),
    transactions,
    bought,
    actions,
  };
}

async function readTransactions(
  app: Pick<WithDatabase, 'db'>,
  settlementId: string | null,
  gasInVain: ReadonlyMap<string, bigint>,
): Promise<TimelineTransaction[]> {
  const ids = [...(settlementId === null ? [] : [settlementId]), ...gasInVain.keys()];
  const carried = await app.db.settlementTransaction.findMany({
    where: { id: { in: ids } },
    select: settlementColumns,
  });
  // Transactions with the same nonce carried the same payments, with another fee.
  const nonces = carried.flatMap(({ network, signer, nonce }) =>
    signer === null || nonce === null ? [] : [{ network, signer, nonce }],
  );
  const all =
    nonces.length === 0
      ? carried
      : await app.db.settlementTransaction.findMany({
          where: { OR: [{ id: { in: ids } }, ...nonces] },
          select: settlementColumns,
        });
  return all
    .map(({ feeAtomic, ...transaction }) => ({
      ...transaction,
      feeAtomic: feeAtomic && BigInt(feeAtomic.toFixed()),
      page: transactionPage(transaction.network, transaction.hash),
      gasInVain: gasInVain.get(transaction.id) ?? 0n,
    }))
    .sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
}

async function readBought(app: Pick<WithDatabase, 'db'>, paidCallId: string): Promise<string[]> {
  const [upload, form] = await Promise.all([
    app.db.upload.findUnique({ where: { paidCallId }, select: { id: true } }),
    app.db.form.findUnique({ where: { paidCallId }, select: { id: true } }),
  ]);
  return [upload, form].flatMap((found) => (found ? [found.id] : []));
}
