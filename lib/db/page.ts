import { ApiError } from '@/lib/errors/api-error';

/** A row of a list. The newest comes first. */
interface Listed {
  readonly id: string;
  readonly createdAt: Date;
}

/**
 * The condition that continues a list after the row that a cursor names.
 * @param cursor the id of that row; undefined for the first page
 * @param find finds the row among those that the reader may list
 * @throws ApiError invalid_input when there is none
 */
async function olderThan(cursor: string | undefined, find: (id: string) => Promise<Listed | null>) {
  if (cursor === undefined) return {};
  const last = await find(cursor);
  if (!last) throw wrongCursor();
  // The first condition alone would do, but for rows of the same moment: it is the one that an index can start from.
  return {
    createdAt: { lte: last.createdAt },
    OR: [{ createdAt: { lt: last.createdAt } }, { id: { lt: last.id } }],
  };
}

/** For a cursor that the list has not given out. */
export function wrongCursor(): ApiError {
  const issues = [{ path: 'cursor', rule: 'must be the nextCursor of an earlier response' }];
  return new ApiError('invalid_input', { reason: 'invalid_input', issues });
}

/**
 * A page, and the cursor of the next one.
 * @param rows one more than the page has, if there are more
 */
export function toPage<Row extends { readonly id: string }>(rows: readonly Row[], limit: number) {
  const shown = rows.slice(0, limit);
  return { shown, nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
}

/** What `newestFirst` asks of a table. */
interface PageQuery {
  /** The condition that continues the list. */
  readonly older: Awaited<ReturnType<typeof olderThan>>;
  readonly orderBy: [{ createdAt: 'desc' }, { id: 'desc' }];
  readonly take: number;
}

/** Reads rows of one table for a list. */
interface PageSource<Row> {
  /** Finds the row that a cursor names among those that the reader may list. */
  find(id: string): Promise<Listed | null>;
  /** Reads the rows of a page. */
  read(query: PageQuery): Promise<readonly Row[]>;
}

/**
 * A page of rows, the newest first, and the cursor of the next one.
 * @param choose leaves out rows of other calls, so that a page may have fewer than its limit
 * @throws ApiError invalid_input for a cursor that names no row of the list
 */
export async function newestFirst<Row extends Listed & { readonly paidCallId: string }>(
  source: PageSource<Row>,
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
  choose: CallChoice | null,
): Promise<{ readonly rows: readonly Row[]; readonly nextCursor: string | null }> {
  const older = await olderThan(cursor, source.find);
  // One more than requested, to know whether there are more.
  const found = await source.read({
    older,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  const { shown, nextCursor } = toPage(found, limit);
  return { rows: await ofChosenCalls(shown, choose), nextCursor };
}

/** Of these paid calls, those whose results a list shows. */
export type CallChoice = (paidCallIds: readonly string[]) => Promise<ReadonlySet<string>>;

/** The rows of chosen calls; all rows if there is no choice. */
async function ofChosenCalls<Row extends { readonly paidCallId: string }>(
  rows: readonly Row[],
  choose: CallChoice | null,
): Promise<readonly Row[]> {
  if (!choose || rows.length === 0) return rows;
  const chosen = await choose(rows.map(({ paidCallId }) => paidCallId));
  return rows.filter(({ paidCallId }) => chosen.has(paidCallId));
}
