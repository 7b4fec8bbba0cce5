import { type ApiError, invalidInput } from '@/lib/catalog/errors/api-error';

/** A row of a list that shows the newest first. */
interface Listed {
  readonly id: string;
  readonly createdAt: Date;
}

/** The condition that continues a list after a row; null for the first page. */
function olderThan(last: Listed | null) {
  if (last === null) return {};
  // The first condition would be enough except for rows of the same moment. It stands alone so that an index can start from it.
  return {
    createdAt: { lte: last.createdAt },
    OR: [{ createdAt: { lt: last.createdAt } }, { id: { lt: last.id } }],
  };
}

/** For a cursor that the list has not issued. */
export function wrongCursor(): ApiError {
  const issues = [{ path: 'cursor', rule: 'must be the nextCursor of an earlier response' }];
  return invalidInput(issues);
}

/** The minimum number of rows that one statement reads when some of them may not be shown. */
const chosenFrom = 200;

/**
 * A page of the rows that its reader may see, and the cursor of the next one. Skips the rows of others, a bounded number with
 * each statement, so that the cursor is the ID of a row on the page and reveals nothing about theirs.
 * @param read reads up to this many rows after a row; from the start if there is none
 * @param choose returns the rows that the reader may see; null if all are visible
 */
export async function toPage<Row extends Listed>(
  read: (after: Listed | null, take: number) => Promise<readonly Row[]>,
  { after, limit }: { readonly after: Listed | null; readonly limit: number },
  choose: ((rows: readonly Row[]) => Promise<readonly Row[]>) | null,
): Promise<{ readonly rows: readonly Row[]; readonly nextCursor: string | null }> {
  // One more than requested, to know whether there are more.
  const take = choose ? Math.max(limit + 1, chosenFrom) : limit + 1;
  const chosen: Row[] = [];
  let last = after;
  for (;;) {
    const found = await read(last, take);
    chosen.push(...(choose ? await choose(found) : found));
    last = found.at(-1) ?? null;
    if (chosen.length > limit || found.length < take) break;
  }
  const rows = chosen.slice(0, limit);
  return { rows, nextCursor: chosen.length > limit ? (rows.at(-1)?.id ?? null) : null };
}

/** What `newestFirst` requests from a table. */
interface PageQuery {
  /** The condition that continues the list. */
  readonly older: ReturnType<typeof olderThan>;
  readonly orderBy: [{ createdAt: 'desc' }, { id: 'desc' }];
  readonly take: number;
}

/** A row of something that a paid call has bought. */
interface Bought extends Listed {
  readonly paidCallId: string;
}

/** Reads rows of one table for a list. */
interface PageSource<Row> {
  /** Finds the row of a cursor among the owner's rows. */
  find(id: string): Promise<Bought | null>;
  read(query: PageQuery): Promise<readonly Row[]>;
}

/**
 * A page of rows, the newest first, and the cursor of the next one.
 * @param choose leaves out rows of other calls
 * @throws ApiError invalid_input for a cursor that names no row of the list
 */
export async function newestFirst<Row extends Bought>(
  { find, read }: PageSource<Row>,
  { cursor, limit }: { readonly cursor?: string; readonly limit: number },
  choose: CallChoice | null,
): Promise<{ readonly rows: readonly Row[]; readonly nextCursor: string | null }> {
  const named = cursor === undefined ? null : await find(cursor);
  const [after = null] = named ? await ofChosenCalls([named], choose) : [];
  if (cursor !== undefined && !after) throw wrongCursor();
  return toPage<Row>(
    (last, take) => read({ older: olderThan(last), orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take }),
    { after, limit },
    choose && ((rows) => ofChosenCalls(rows, choose)),
  );
}

/** Returns those of the given paid calls whose results a list shows. */
export type CallChoice = (paidCallIds: readonly string[]) => Promise<ReadonlySet<string>>;

/** The rows of chosen calls; all rows if there is no choice. */
async function ofChosenCalls<Row extends Bought>(
  rows: readonly Row[],
  choose: CallChoice | null,
): Promise<readonly Row[]> {
  if (!choose || rows.length === 0) return rows;
  const chosen = await choose(rows.map(({ paidCallId }) => paidCallId));
  return rows.filter(({ paidCallId }) => chosen.has(paidCallId));
}
