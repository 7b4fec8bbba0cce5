import type { ChainTransfer, OutgoingTransfer } from './chain-transfers';

/** How many rows the audit holds in memory at a time. */
export const pageRows = 1_000;

/** A broken invariant: which promise is broken, and where. */
export interface Finding {
  readonly promise: string;
  readonly about: string;
  /** The payment on a chain that the ledger does not have, if that is what is wrong. */
  readonly payment?: UnknownPayment;
}

/** A payment that the ledger does not have, with what is needed to book it. */
interface UnknownPayment {
  readonly network: string;
  /** Null if the chain does not name one payer. */
  readonly payer: string | null;
  readonly authorization: string;
  readonly transactionHash: string;
}

/** A query on the ledger. Every row is a finding (columns `promise` and `about`, and perhaps `payment`). */
export interface Check {
  readonly sql: string;
  readonly values?: readonly unknown[];
}

/** What the audit needs from a pool of database connections. */
export interface Connections {
  connect(): Promise<{
    query(sql: string, values?: unknown[]): Promise<{ readonly rows: Finding[] }>;
    release(destroy: boolean): void;
  }>;
}

type Connection = Awaited<ReturnType<Connections['connect']>>;

/**
 * The audit's own connection, with the transfers on chain in temporary tables. The database compares them with one
 * snapshot of the ledger, and findings are read in pages, so the audit's memory does not grow with the ledger.
 */
export class AuditSession {
  readonly #client: Connection;

  private constructor(client: Connection) {
    this.#client = client;
  }

  /** @param work runs while the connection and its temporary tables exist */
  static async *with<T>(
    connections: Connections,
    work: (session: AuditSession) => AsyncGenerator<T>,
  ): AsyncGenerator<T> {
    const client = await connections.connect();
    try {
      await client.query(
        'CREATE TEMPORARY TABLE audit_node (network text NOT NULL, node integer NOT NULL, height numeric NOT NULL)',
      );
      await client.query(`CREATE TEMPORARY TABLE audit_told_incoming (network text NOT NULL, asset text NOT NULL, payer text,
        "authorization" text NOT NULL, amount_atomic numeric NOT NULL, transaction_hash text NOT NULL, height numeric NOT NULL,
        node integer NOT NULL)`);
      await client.query(`CREATE TEMPORARY TABLE audit_told_outgoing (network text NOT NULL, asset text NOT NULL,
        recipient text NOT NULL, amount_atomic numeric NOT NULL, transaction_hash text NOT NULL,
        transfer_index integer NOT NULL, height numeric NOT NULL, node integer NOT NULL)`);
      yield* work(new AuditSession(client));
    } finally {
      client.release(true);
    }
  }

  /** Records that a node has reported all transfers of its network, up to a block. */
  async addNode(network: string, node: number, height: bigint): Promise<void> {
    await this.#client.query('INSERT INTO audit_node VALUES ($1, $2, $3)', [
      network,
      node,
      height.toString(),
    ]);
  }

  /** Stores transfers of a chain as one of its nodes reports them, to be compared with the ledger. */
  async addTransfers(node: number, transfers: readonly ChainTransfer[]): Promise<void> {
    for (let first = 0; first < transfers.length; first += pageRows) {
      const rows = transfers.slice(first, first + pageRows).map((transfer) => ({
        network: transfer.network,
        asset: transfer.asset,
        payer: transfer.payer,
        authorization: transfer.authorization,
        amount_atomic: transfer.amountAtomic.toString(),
        transaction_hash: transfer.transactionHash,
        height: transfer.height.toString(),
      }));
      await this.#client.query(
        `INSERT INTO audit_told_incoming SELECT transfer.*, $2::integer FROM json_to_recordset($1::json)
           AS transfer(network text, asset text, payer text, "authorization" text, amount_atomic numeric,
             transaction_hash text, height numeric)`,
        [JSON.stringify(rows), node],
      );
    }
  }

  /** Stores transfers out of the treasury as a node reports them, to be compared with refunds. */
  async addOutgoing(node: number, transfers: readonly OutgoingTransfer[]): Promise<void> {
    for (let first = 0; first < transfers.length; first += pageRows) {
      const rows = transfers.slice(first, first + pageRows).map((transfer) => ({
        network: transfer.network,
        asset: transfer.asset,
        recipient: transfer.recipient,
        amount_atomic: transfer.amountAtomic.toString(),
        transaction_hash: transfer.transactionHash,
        transfer_index: transfer.transferIndex,
        height: transfer.height.toString(),
      }));
      await this.#client.query(
        `INSERT INTO audit_told_outgoing SELECT transfer.*, $2::integer FROM json_to_recordset($1::json)
           AS transfer(network text, asset text, recipient text, amount_atomic numeric, transaction_hash text,
             transfer_index integer, height numeric)`,
        [JSON.stringify(rows), node],
      );
    }
  }

  /** Runs the checks one after another, all on the same snapshot of the ledger. */
  async *find(checks: readonly Check[]): AsyncGenerator<Finding> {
    // A transfer that several nodes report is one transfer.
    await this.#client.query(`CREATE TEMPORARY TABLE audit_transfer AS
      SELECT DISTINCT network, asset, payer, "authorization", amount_atomic, transaction_hash FROM audit_told_incoming`);
    await this.#client.query(`CREATE TEMPORARY TABLE audit_outgoing AS
      SELECT DISTINCT network, asset, recipient, amount_atomic, transaction_hash, transfer_index FROM audit_told_outgoing`);
    await this.#client.query(
      'ANALYZE audit_transfer, audit_outgoing, audit_node, audit_told_incoming, audit_told_outgoing',
    );
    await this.#client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // By default PostgreSQL plans a cursor for its first rows only; all of them are read here.
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
