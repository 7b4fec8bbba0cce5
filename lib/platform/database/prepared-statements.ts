import { createHash } from 'node:crypto';
import { DatabaseError, type Pool, type PoolClient, type QueryResultRow } from 'pg';

/** Runs statements. */
export interface Statements {
  query<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<{ rows: Row[] }>;
}

/**
 * Errors of a prepared statement that was not executed: the session no longer has it (26000), or a migration has changed its
 * columns (0A000).
 */
const unusable: readonly (string | undefined)[] = ['26000', '0A000'];

/**
 * Makes one plan per statement and keeps it, because planning takes as long as execution. Plans are made while tables are
 * small, and have to be right when these are large. So they read tables by an index wherever there is one.
 */
const keepPlans = Object.entries({
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
})
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(' || ');

/**
 * Runs statements that each connection parses and plans only once, because that is most of the cost of a short statement. A pooler
 * that gives every transaction another session would lose them, so behind such a pooler the full text is sent each time.
 */
export class PreparedStatements implements Statements {
  readonly #pool: Pick<Pool, 'connect'>;
  /** Whether a connection always runs in the same session. */
  readonly #keepsSession = new WeakMap<PoolClient, boolean>();
  readonly #names = new Map<string, string>();

  constructor(pool: Pick<Pool, 'connect'>) {
    this.#pool = pool;
  }

  async query<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<{ rows: Row[] }> {
    try {
      return await this.#run<Row>(text, values, this.#nameOf(text));
    } catch (error) {
      if (!(error instanceof DatabaseError) || !unusable.includes(error.code)) throw error;
      return this.#run<Row>(text, values, undefined);
    }
  }

  async #run<Row extends QueryResultRow>(text: string, values: unknown[], name: string | undefined) {
    const client = await this.#pool.connect();
    try {
      const isKept = this.#keepsSession.get(client) ?? (await this.#findSession(client));
      const result = await client.query<Row>({ text, values, name: isKept ? name : undefined });
      client.release();
      return result;
    } catch (error) {
      // The connection may be broken in other ways too.
      client.release(true);
      throw error;
    }
  }

  /**
   * Whether the process that the connection was opened to also runs its statements. A pooler reports an id of its own instead.
   * If it does, its plans are kept.
   */
  async #findSession(client: PoolClient): Promise<boolean> {
    const opened = 'processID' in client ? client.processID : null;
    const { rows } = await client.query<{ isKept: boolean }>(
      `SELECT CASE WHEN pg_backend_pid() = $1::int THEN ${keepPlans} END IS NOT NULL AS "isKept"`,
      [opened],
    );
    const isKept = rows[0]?.isKept ?? false;
    this.#keepsSession.set(client, isKept);
    return isKept;
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
    this.#names.set(text, name);
    return name;
  }
}
