import type { BoughtRequest } from '@/lib/calls/call-store';
import { type PaidCall, sha256 } from '@/lib/calls/paid-call';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Platform } from '@/lib/platform/platform';
import { paidCallColumns, toPaidCall } from './paid-call-rows';
import { listed, openStates, perhapsPaidStates, underWayStates } from './states';

/** A call of a wallet, as listed. */
export interface WalletCall {
  readonly id: string;
  readonly network: string;
  readonly createdAt: Date;
}

/** The calls of a wallet in a time span. */
export interface WalletCallQuery {
  /** The wallet: checksummed EVM address or base58 Solana address. */
  readonly payer: string;
  /** Calls since this moment. */
  readonly from?: Date;
  /** Calls before this moment. */
  readonly to?: Date;
  /** Only calls that come after this one in the list. */
  readonly after: Pick<WalletCall, 'id' | 'createdAt'> | null;
  readonly limit: number;
}

/**
 * The calls that a wallet has paid, or may have paid, newest first. The conditions on network and states are those of the
 * partial index paid_call_of_wallet_idx, which serves only statements that repeat them word for word.
 */
export async function listWalletCalls(
  app: WithDatabase,
  { payer, from, to, after, limit }: WalletCallQuery,
): Promise<WalletCall[]> {
  const conditions = [
    Prisma.sql`payer = ${payer}`,
    Prisma.sql`network <> 'account' AND state IN ${Prisma.raw(listed(perhapsPaidStates))}`,
    ...(from ? [Prisma.sql`created_at >= ${from}`] : []),
    ...(to ? [Prisma.sql`created_at < ${to}`] : []),
    ...(after ? [Prisma.sql`(created_at, id) < (${after.createdAt}, ${after.id})`] : []),
  ];
  return app.db.$queryRaw<WalletCall[]>`
    SELECT id, network, created_at AS "createdAt" FROM paid_call WHERE ${Prisma.join(conditions, ' AND ')}
    ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
}

/** So many of a wallet's newest calls are compared with a request that it does not want to pay for again. */
const recentMax = 1_000;

const ofWallet = Prisma.raw(`network <> 'account' AND state IN ${listed(perhapsPaidStates)}`);
const notListedYet = Prisma.raw(listed(openStates.filter((state) => !perhapsPaidStates.includes(state))));

/**
 * The newest call that a wallet has paid for, or may be paying for, with exactly this request; null when there is none. A key
 * finds its call at once. Without one, the wallet's newest calls are compared, which needs no index of its own: every index of
 * `paid_call` makes every paid call slower.
 */
export async function findBought(
  app: WithDatabase & Pick<Platform, 'keys' | 'problems'>,
  { payer, onlyOn, operation, requestHash, idempotencyKey }: BoughtRequest,
): Promise<PaidCall | null> {
  const calls =
    idempotencyKey === null
      ? Prisma.sql`(SELECT * FROM paid_call WHERE payer = ${payer} AND ${ofWallet}
           ORDER BY created_at DESC, id DESC LIMIT ${recentMax})
         UNION ALL (SELECT * FROM paid_call WHERE payer = ${payer} AND state IN ${notListedYet})`
      : Prisma.sql`SELECT * FROM paid_call WHERE payer = ${payer} AND idempotency_key_hash = ${sha256(idempotencyKey)}`;
  const [row] = await app.db.$queryRaw<unknown[]>`
    SELECT ${paidCallColumns} FROM (${calls}) AS call
    WHERE operation = ${operation} AND request_hash = ${requestHash} AND network <> 'account'
      AND ${onlyOn === null ? Prisma.sql`TRUE` : Prisma.sql`network = ${onlyOn}`}
      AND (state IN ${Prisma.raw(listed(underWayStates))} OR (state = 'delivered' AND answer IS NOT NULL))
    ORDER BY created_at DESC, id DESC LIMIT 1`;
  return row === undefined ? null : toPaidCall(app, row);
}

/** A call of this wallet by its id; null when there is none. */
export async function findWalletCall(
  app: WithDatabase,
  payer: string,
  id: string,
): Promise<WalletCall | null> {
  return app.db.paidCall.findFirst({
    where: { id, payer },
    select: { id: true, network: true, createdAt: true },
  });
}

/** Which of these calls were paid on a network. */
export async function callsPaidOn(
  app: WithDatabase,
  network: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await app.db.paidCall.findMany({
    where: { id: { in: [...ids] }, network },
    select: { id: true },
  });
  return new Set(found.map(({ id }) => id));
}
