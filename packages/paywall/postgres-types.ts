// The public types of the entry for PostgreSQL, which is given out with this file as its declarations.
import type { Store } from './index.js';

export interface PostgresOptions {
  /** A database that nothing else uses: `postgres://user:password@host/name`. The first start creates its tables. */
  readonly databaseUrl: string;
  /** The most connections: 10 by default. */
  readonly connections?: number;
}

/**
 * Keeps everything in PostgreSQL, encrypted where it is private. A call that is paid when the process ends is finished by the
 * next one. Several processes may use one database.
 * @throws Error when an option is malformed
 */
export declare function postgresStore(options: PostgresOptions): Store;
