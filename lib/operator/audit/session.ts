import type { ChainTransfer } from './chain-transfers';

/** How many rows the audit holds at a time, whatever the ledger holds. */
export const pageRows = 1_000;

/** Something that must never be: which promise is broken, and about what. */
export interface Finding {
  readonly promise: string;
  readonly about: string;
}

/** A question to the ledger: every row of its answer is a finding (columns `promise` and `about`). */
export interface Check {
  readonly sql: string;
  readonly values?: readonly unknown[];
}

/** What the audit needs of a pool of database connections. */
export interface Connections {
  connect(): Promise<{
    query(sql: string, values?: unknown[]): Promise<{ readonly rows: Finding[] }>;
    release(destroy: boolean): void;
  }>;
}

type Connection = Awaited<ReturnType<Connections['connect']>>;

/**
 * A connection of the audit's own. What the chains say is in a temporary table of it; everything is held against each
 * other by the database, on one snapshot of the ledger, and what is found comes in pages. So the audit's memory does not
 * grow with the ledger.
 */
export class AuditSession {
  readonly #client: Connection;

  private constructor(client: Connection) {
    this.#client = client;
  }

  /** @param work what is done before the connection, and all that it keeps, is gone */
  static async *with<T>(
    connections: Connections,
    work: (session: AuditSession) => AsyncGenerator<T>,
  ): AsyncGenerator<T> {
    const client = await connections.connect();
    try {
      await client.query(`CREATE TEMPORARY TABLE audit_transfer (network text NOT NULL, asset text NOT NULL, payer text,
        "authorization" text NOT NULL, amount_atomic numeric, transaction_hash text NOT NULL)`);
      yield* work(new AuditSession(client));
    } finally {
      client.release(true);
    }
  }

  /** Keeps what a chain says, to be held against the ledger. */
  async addTransfers(transfers: readonly ChainTransfer[]): Promise<void> {
    for (let first = 0; first < transfers.length; first += pageRows) {
      const rows = transfers.slice(first, first + pageRows).map((transfer) => ({
        network: transfer.network,
        asset: transfer.asset,
        payer: transfer.payer,
        authorization: transfer.authorization,
        amount_atomic: transfer.amountAtomic?.toString() ?? null,
        transaction_hash: transfer.transactionHash,
      }));
      await this.#client.query(
        `INSERT INTO audit_transfer SELECT * FROM json_to_recordset($1::json) AS transfer(network text, asset text,
           payer text, "authorization" text, amount_atomic numeric, transaction_hash text)`,
        [JSON.stringify(rows)],
      );
    }
  }

  /** Asks the questions one after another, all about the ledger as it is when the first is asked. */
  async *find(checks: readonly Check[]): AsyncGenerator<Finding> {
    await this.#client.query('ANALYZE audit_transfer');
    await this.#client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // A cursor is planned for its first rows unless told that all of them are wanted.
    await this.#client.query('SET LOCAL cursor_tuple_fraction = 1');
    for (const check of checks) yield* this.#pagesOf(check);
    await this.#client.query('COMMIT');
  }

  async *#pagesOf({ sql, values = [] }: Check): AsyncGenerator<Finding> {
    await this.#client.query(`DECLARE finding NO SCROLL CURSOR FOR ${sql}`, [...values]);
    for (;;) {
      const { rows } = await this.#client.query(`FETCH ${pageRows} FROM finding`);
      yield* rows;
      if (rows.length < pageRows) break;
    }
    await this.#client.query('CLOSE finding');
  }
}
