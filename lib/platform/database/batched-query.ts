import { GroupCommit } from '@/lib/platform/concurrency/group-commit';
import type { WithDatabase } from './database';
import type { Statements } from './prepared-statements';

const limits = { sizeMax: 100, inFlightMax: 2 };

/**
 * A condition, always true, for statements that need not be on disk when they return: the database flushes their transaction
 * with the next one that must be. Use it only for writes that a later transaction of the same call completes before anything
 * leaves the process. The log is flushed in order, so the later transaction is never on disk without this one. The later one
 * has to check that this one is there, because a database that crashes in between comes back without it.
 */
export const flushedLater = "set_config('synchronous_commit', 'off', true) = 'off'";

/** A row of a batched query, with the number of its item. */
type Numbered<Row> = Row & { readonly n: number };

/**
 * A statement that runs for many callers at once, because a round trip to the database costs more than another row in it. A
 * single call runs at once; calls that arrive while others run share the next statement.
 *
 * The text takes one parameter, `$1`: a JSON array with one object per caller, to be read with `json_to_recordset`. Every
 * object has its number `n` in addition to the item's fields, and every returned row has the `n` of its item. Items are
 * independent: the statement must do for each of them what it would do for it alone.
 * @returns a function that returns the rows of one item; it throws what the database threw
 */
export function batchedQuery<Item extends object, Row>(
  text: string,
): (app: Pick<WithDatabase, 'batches'>, item: Item) => Promise<readonly Row[]> {
  const query: BatchedQuery<Item, Row> = { text };
  return async ({ batches }, item) => {
    const outcome = await batches.of(query).add(item);
    if ('error' in outcome) throw outcome.error;
    return outcome.rows;
  };
}

/** A query and the types of its items and rows. */
interface BatchedQuery<Item, Row> {
  readonly text: string;
  readonly types?: (item: Item) => Row;
}

/** The batches that are waiting for one database. */
export class QueryBatches {
  readonly #statements: Statements;
  readonly #groups = new Map<object, unknown>();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** The current batch of a query. */
  of<Item extends object, Row>(query: BatchedQuery<Item, Row>): GroupCommit<Item, ItemOutcome<Row>> {
    const run = (items: readonly Item[]) => runBatch<Item, Row>(this.#statements, query.text, items);
    const group = this.#groups.get(query) ?? new GroupCommit(run, limits);
    this.#groups.set(query, group);
    // Stored under its query, which has these types.
    return group as GroupCommit<Item, ItemOutcome<Row>>;
  }
}

type ItemOutcome<Row> = { readonly rows: readonly Row[] } | { readonly error: unknown };

/** Runs a statement for all items. If the database rejects it, runs it for each item alone. */
export async function runBatch<Item extends object, Row>(
  statements: Statements,
  text: string,
  items: readonly Item[],
): Promise<ItemOutcome<Row>[]> {
  try {
    return await runOnce<Item, Row>(statements, text, items);
  } catch (error) {
    if (items.length === 1 || !isRolledBack(error)) return items.map(() => ({ error }));
    // One item may have made the statement fail for the others.
    return Promise.all(
      items.map(async (item) => {
        const [outcome] = await runBatch<Item, Row>(statements, text, [item]);
        return outcome ?? { error };
      }),
    );
  }
}

async function runOnce<Item extends object, Row>(
  statements: Statements,
  text: string,
  items: readonly Item[],
): Promise<ItemOutcome<Row>[]> {
  const parameter = JSON.stringify(items.map((item, n) => ({ ...item, n })));
  const { rows } = await statements.query<Numbered<Row>>(text, [parameter]);
  const rowsOf = items.map((): Row[] => []);
  for (const row of rows) rowsOf[row.n]?.push(row);
  return rowsOf.map((ofItem) => ({ rows: ofItem }));
}

/**
 * Whether the database rejected the statement, so that nothing was written: bad data, a violated constraint, a
 * duplicate row, a deadlock (SQLSTATE classes 21, 22, 23, 40). After a lost connection it may have been executed, and a
 * second run could do it twice.
 */
function isRolledBack(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return /^(21|22|23|40)[0-9A-Z]{3}$/.test(error.code);
}

/** Bytes in the form that the JSON of a batched query needs for a `bytea`. */
export function byteaOf(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
