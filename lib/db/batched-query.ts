import type { Pool } from 'pg';
import { GroupCommit } from '@/lib/concurrency/group-commit';
import type { WithDatabase } from './database';

const limits = { sizeMax: 100, inFlightMax: 2 };

/** A row that a batched query returned, with the place of the item that it belongs to. */
type Numbered<Row> = Row & { readonly n: number };

/**
 * A statement that is run for many callers at once: a round trip to the database and the statement's own overhead cost
 * more than one more row in it. Alone it runs at once; what is asked for while earlier ones run waits and goes together.
 *
 * The text takes one parameter, `$1`: a JSON array with one object per caller, to be read with `json_to_recordset`. Every
 * object carries its place `n` beside the fields of its item, and every returned row says by `n` whose it is. An item
 * never counts on the others: the statement must have done for each what it would have done for it alone.
 * @returns a function that gives the rows of one item; it throws what the database threw
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

/** A query by its identity; the types are those of its items and rows. */
interface BatchedQuery<Item, Row> {
  readonly text: string;
  readonly types?: (item: Item) => Row;
}

/** What waits to be asked of one database. */
export class QueryBatches {
  readonly #pool: Pick<Pool, 'query'>;
  readonly #groups = new Map<object, unknown>();

  constructor(pool: Pick<Pool, 'query'>) {
    this.#pool = pool;
  }

  /** The batch of a query that is being gathered now. */
  of<Item extends object, Row>(query: BatchedQuery<Item, Row>): GroupCommit<Item, ItemOutcome<Row>> {
    const run = (items: readonly Item[]) => runBatch<Item, Row>(this.#pool, query.text, items);
    const group = this.#groups.get(query) ?? new GroupCommit(run, limits);
    this.#groups.set(query, group);
    // Kept under its query, which has these types.
    return group as GroupCommit<Item, ItemOutcome<Row>>;
  }
}

type ItemOutcome<Row> = { readonly rows: readonly Row[] } | { readonly error: unknown };

/** Runs a statement once for all, and for each by itself when the database refused it for all. */
export async function runBatch<Item extends object, Row>(
  connections: Pick<Pool, 'query'>,
  text: string,
  items: readonly Item[],
): Promise<ItemOutcome<Row>[]> {
  try {
    return await runOnce<Item, Row>(connections, text, items);
  } catch (error) {
    if (items.length === 1 || !isRolledBack(error)) return items.map(() => ({ error }));
    // One item may have spoilt it for the others.
    return Promise.all(
      items.map(async (item) => {
        const [outcome] = await runBatch<Item, Row>(connections, text, [item]);
        return outcome ?? { error };
      }),
    );
  }
}

async function runOnce<Item extends object, Row>(
  connections: Pick<Pool, 'query'>,
  text: string,
  items: readonly Item[],
): Promise<ItemOutcome<Row>[]> {
  const parameter = JSON.stringify(items.map((item, n) => ({ ...item, n })));
  const { rows } = await connections.query<Numbered<Row>>(text, [parameter]);
  const rowsOf = items.map((): Row[] => []);
  for (const row of rows) rowsOf[row.n]?.push(row);
  return rowsOf.map((ofItem) => ({ rows: ofItem }));
}

/**
 * Whether the database itself refused the statement, so that certainly nothing of it was written: bad data, a broken
 * constraint, the same row twice, a deadlock (SQLSTATE classes 21, 22, 23, 40). After a lost connection that is open, and
 * running again could do twice what was done once.
 */
function isRolledBack(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return /^(21|22|23|40)[0-9A-Z]{3}$/.test(error.code);
}

/** Bytes as a batched query's JSON carries them into a `bytea`. */
export function byteaOf(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
