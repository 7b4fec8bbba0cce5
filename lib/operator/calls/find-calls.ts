import { openStates, type PaidCallState } from '@/lib/ledger/states';
import { knownNetworks } from '@/lib/payments/network-offers';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { CallFilters, CallQuery } from './filters';

/** What a list shows of a paid call: nothing that a caller sent. */
const shown = {
  id: true,
  operation: true,
  rail: true,
  network: true,
  payer: true,
  amountAtomic: true,
  state: true,
  transactionHash: true,
  answerStatus: true,
  moveNote: true,
  createdAt: true,
  movedAt: true,
} as const;

/** A paid call in a list. `moveNote` says why it came to its state: a code. Amounts are atomic USDC. */
export type ListedCall = Prisma.PaidCallGetPayload<{ select: typeof shown }>;

export interface CallPage {
  /** Newest first. */
  readonly calls: readonly ListedCall[];
  /**
   * Continues the search; null when it has seen everything. A page may hold fewer calls than its limit, or none, and still
   * have a cursor, because one page reads a limited number of calls.
   */
  readonly nextCursor: string | null;
  /** How far back this page has searched; null when it has seen everything. */
  readonly searchedBackTo: Date | null;
}

/** How many rows of one index a statement reads. */
const chunkRows = 1_000;
/** How many chunks a page reads before it leaves the rest to the next page. */
const chunksPerPage = 10;

/** Where a page starts or ends. */
interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

/**
 * Finds paid calls, newest first. Every search reads a bounded number of rows by indexes, however many calls there are:
 * those of an id, a transaction, a payer with few calls or a rare state are found directly, and all others by going back
 * through the calls in time.
 */
export async function findCalls(
  app: Pick<WithDatabase, 'db'>,
  { cursor, limit, ...filters }: CallQuery,
): Promise<CallPage> {
  const after = cursor === undefined ? null : positionOf(cursor);
  const source = await findSource(app, filters);
  const matching: Position[] = [];
  let seenTo = after;
  for (let chunk = 0; chunk < chunksPerPage; chunk += 1) {
    const { examined, last } = await source(seenTo);
    matching.push(...examined);
    seenTo = last;
    // One more than requested, to know whether there are more.
    if (seenTo === null || matching.length > limit) break;
  }
  const page = matching.slice(0, limit);
  const end = matching.length > limit ? (page.at(-1) ?? null) : seenTo;
  return {
    calls: await readCalls(app, page),
    nextCursor: end && `${end.createdAt.getTime()}.${end.id}`,
    searchedBackTo: end?.createdAt ?? null,
  };
}

function positionOf(cursor: string): Position {
  const [time, id = ''] = cursor.split('.');
  return { createdAt: new Date(Number(time)), id };
}

async function readCalls(app: Pick<WithDatabase, 'db'>, page: readonly Position[]): Promise<ListedCall[]> {
  const found = await app.db.paidCall.findMany({
    where: { id: { in: page.map(({ id }) => id) } },
    select: shown,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  return found;
}

/** Reads the next chunk after a position. `last` is null when nothing is left. */
type Source = (after: Position | null) => Promise<{ examined: Position[]; last: Position | null }>;

/** The cheapest source of the calls that match the filters. */
async function findSource(app: Pick<WithDatabase, 'db'>, filters: CallFilters): Promise<Source> {
  const { id, transaction, payer, state } = filters;
  if (id !== undefined) return fewCalls(app, filters, Prisma.sql`paid_call.id = ${id}`);
  if (transaction !== undefined) return fewCalls(app, filters, await carriedBy(app, transaction));
  if (payer !== undefined && (await isFew(app, Prisma.sql`payer = ${payer}`)))
    return fewCalls(app, filters, Prisma.sql`payer = ${payer}`);
  if (state === undefined) return callsByTime(app, filters);
  if (isRare(state)) return callsOfRareState(app, filters, state);
  const isInState = Prisma.sql`state = ${state}::paid_call_state`;
  if (openStates.includes(state) && (await isFew(app, isInState))) return fewCalls(app, filters, isInState);
  return callsByTime(app, filters);
}

/** The states of the partial index paid_call_rare_idx (migration). Successful calls never enter it. */
function isRare(state: PaidCallState): boolean {
  return ['kept', 'refused', 'unknown', 'needs_attention', 'refunded'].includes(state);
}

/** Whether so few calls meet a condition with an index that all of them can be read and sorted. */
async function isFew(app: Pick<WithDatabase, 'db'>, condition: Prisma.Sql): Promise<boolean> {
  const [row] = await app.db.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) FROM (SELECT FROM paid_call WHERE ${condition} LIMIT ${chunkRows}) AS probed`;
  return Number(row?.count ?? 0) < chunkRows;
}

/** The calls of a transaction: those that it carries, and those whose outcome it is or may be when a third party sent it. */
async function carriedBy(app: Pick<WithDatabase, 'db'>, hash: string): Promise<Prisma.Sql> {
  const settlements = await app.db.settlementTransaction.findMany({
    where: { hash, network: { in: [...knownNetworks] } },
    select: { id: true },
  });
  const ids = settlements.map(({ id }) => id);
  return Prisma.sql`(settlement_id = ANY (${ids}) OR (transaction_hash = ${hash} AND settlement_id IS NULL))`;
}

/** All calls that meet a condition that few calls meet, in one chunk. */
function fewCalls(app: Pick<WithDatabase, 'db'>, filters: CallFilters, condition: Prisma.Sql): Source {
  return async (after) => {
    const examined = await app.db.$queryRaw<Position[]>`
      SELECT id, created_at AS "createdAt" FROM paid_call
      WHERE ${condition} AND ${conditionOf(filters)} AND ${isAfter(after, Prisma.sql`created_at`, Prisma.sql`id`)}
      ORDER BY created_at DESC, id DESC`;
    return { examined, last: null };
  };
}

function callsOfRareState(app: Pick<WithDatabase, 'db'>, filters: CallFilters, state: PaidCallState): Source {
  return chunks(app, filters, (range) => {
    // Written as a literal, because the partial index serves only a query that names its states.
    return Prisma.sql`SELECT id, created_at AS at FROM paid_call
      WHERE state = ${Prisma.raw(`'${state}'`)}::paid_call_state AND ${range(Prisma.sql`created_at`, Prisma.sql`id`)}
      ORDER BY state DESC, created_at DESC, id DESC LIMIT ${chunkRows}`;
  });
}

/** Finds calls by their first moves, because an index of the calls themselves would be updated at every move. */
function callsByTime(app: Pick<WithDatabase, 'db'>, filters: CallFilters): Source {
  return chunks(app, filters, (range) => {
    return Prisma.sql`SELECT paid_call_id AS id, at FROM paid_call_move
      WHERE from_state IS NULL AND ${range(Prisma.sql`at`, Prisma.sql`paid_call_id`)}
      ORDER BY at DESC, paid_call_id DESC LIMIT ${chunkRows}`;
  });
}

type Range = (time: Prisma.Sql, id: Prisma.Sql) => Prisma.Sql;

function chunks(
  app: Pick<WithDatabase, 'db'>,
  filters: CallFilters,
  candidates: (range: Range) => Prisma.Sql,
): Source {
  const { from, to } = filters;
  return async (after) => {
    const range: Range = (time, id) =>
      Prisma.sql`${isAfter(after, time, id)} AND ${isWithin(time, from, to)}`;
    const rows = await app.db.$queryRaw<(Position & { isMatch: boolean })[]>`
      SELECT candidate.id, candidate.at AS "createdAt", COALESCE(${conditionOf(filters)}, false) AS "isMatch"
      FROM (${candidates(range)}) AS candidate JOIN paid_call ON paid_call.id = candidate.id
      ORDER BY candidate.at DESC, candidate.id DESC`;
    const last = rows.length < chunkRows ? null : (rows.at(-1) ?? null);
    return { examined: rows.filter(({ isMatch }) => isMatch), last };
  };
}

function isAfter(after: Position | null, time: Prisma.Sql, id: Prisma.Sql): Prisma.Sql {
  return after === null ? Prisma.sql`true` : Prisma.sql`(${time}, ${id}) < (${after.createdAt}, ${after.id})`;
}

function isWithin(time: Prisma.Sql, from: Date | undefined, to: Date | undefined): Prisma.Sql {
  const since = from === undefined ? Prisma.sql`true` : Prisma.sql`${time} >= ${from}`;
  return to === undefined ? since : Prisma.sql`${since} AND ${time} < ${to}`;
}

/** The conditions that a call must meet, whichever source found it. */
function conditionOf({ payer, operation, state, network, rail, from, to }: CallFilters): Prisma.Sql {
  const conditions = [isWithin(Prisma.sql`paid_call.created_at`, from, to)];
  if (payer !== undefined) conditions.push(Prisma.sql`paid_call.payer = ${payer}`);
  if (operation !== undefined) conditions.push(Prisma.sql`paid_call.operation = ${operation}`);
  if (state !== undefined) conditions.push(Prisma.sql`paid_call.state = ${state}::paid_call_state`);
  if (network !== undefined) conditions.push(Prisma.sql`paid_call.network = ${network}`);
  if (rail !== undefined) conditions.push(Prisma.sql`paid_call.rail = ${rail}`);
  return Prisma.join(conditions, ' AND ');
}
