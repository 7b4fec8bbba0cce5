import { randomBytes } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool, type PoolConfig } from 'pg';
import { startOfDay } from '@/lib/platform/durations';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { Settings } from '@/lib/platform/settings';
import { QueryBatches } from './batched-query';
import { PrismaClient } from './generated/client';
import type { Instance } from './instance';
import { PreparedStatements, type Statements } from './prepared-statements';

/** An app with its database. */
export interface WithDatabase {
  readonly db: PrismaClient;
  /** The connections that `db` uses, for statements that Prisma cannot write. */
  readonly pool: Pool;
  /** For statements that run for nearly every call. */
  readonly statements: Statements;
  /** The connections of `statements`, whose plans suit these alone. */
  readonly statementPool: Pool;
  readonly batches: QueryBatches;
  readonly addressSalts: AddressSalts;
  /** This process among those that share the database. */
  readonly instance: Instance;
}

/**
 * How many idle connections stay open: as many as one paid call uses at the same time, and one for a heartbeat. Opening a
 * connection takes longer than any statement of the call.
 */
const kept = { statements: 2, others: 1 };

interface DatabaseDeps extends Pick<Platform, 'timings' | 'log'> {
  readonly settings: Pick<Settings, 'DATABASE_POOL' | 'DATABASE_URL'>;
}

/** Opens the database of an app. Connections are opened when first needed. */
export function openDatabase(app: DatabaseDeps): Omit<WithDatabase, 'instance'> {
  const { DATABASE_POOL } = app.settings;
  const half = Math.floor(DATABASE_POOL / 2);
  const pool = openPool(app, { max: DATABASE_POOL - half, min: kept.others });
  const statementPool = openPool(app, { max: half, min: Math.min(kept.statements, half) });
  const db = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) });
  const statements = new PreparedStatements(statementPool);
  return {
    ...{ db, pool, statements, statementPool },
    batches: new QueryBatches(statements),
    addressSalts: new AddressSalts(db),
  };
}

/** Closes the connections of an app. */
export async function closeDatabase({
  db,
  statementPool,
}: Pick<WithDatabase, 'db' | 'statementPool'>): Promise<void> {
  await Promise.all([db.$disconnect(), statementPool.end()]);
}

function openPool(
  {
    settings,
    log,
    timings: {
      database: { answerWithinMs },
    },
  }: DatabaseDeps,
  size: Pick<PoolConfig, 'min' | 'max'>,
): Pool {
  const pool = new Pool({
    ...size,
    connectionString: settings.DATABASE_URL,
    query_timeout: answerWithinMs,
    connectionTimeoutMillis: answerWithinMs,
    keepAlive: true,
  });
  // Without a listener, an error on a connection would end the process. An error can arrive in the same packet that opens the
  // connection, before the caller could attach a listener. The statement under way fails too.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  // A broken idle connection is replaced.
  pool.on('error', (error) => {
    log.warn({ error: describeError(error) }, 'a database connection broke');
  });
  return pool;
}

/** Salts for hashing addresses: one per day, shared by all instances, deleted a day after its day. */
class AddressSalts {
  readonly #db: PrismaClient;
  #known: { readonly dayMs: number; readonly salt: Uint8Array } | null = null;

  constructor(db: PrismaClient) {
    this.#db = db;
  }

  /** The salt of a day. Only the latest is cached, so that an old salt does not outlive its day in memory either. */
  async of(now: Date): Promise<Uint8Array> {
    const day = new Date(startOfDay(now.getTime()));
    if (this.#known?.dayMs === day.getTime()) return this.#known.salt;
    const salt = await this.#findOrMake(day);
    this.#known = { dayMs: day.getTime(), salt };
    return salt;
  }

  async #findOrMake(day: Date): Promise<Uint8Array> {
    const known = await this.#db.addressSalt.findUnique({ where: { day } });
    if (known) return known.salt;
    await this.#db.addressSalt.createMany({ data: { day, salt: randomBytes(32) }, skipDuplicates: true });
    return (await this.#db.addressSalt.findUniqueOrThrow({ where: { day } })).salt;
  }
}
