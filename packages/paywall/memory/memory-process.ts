import type { Clock } from '@/lib/platform/clock';
import type { Timings } from '@/lib/platform/timings';
import type { MemoryDatabase, Tables } from './memory-database';

export interface MemoryProcessOptions {
  readonly id: string;
  /** The networks for which it has a settlement key. */
  readonly settles: readonly string[];
  readonly timings: Timings;
}

/** A process that uses a database in memory: an instance with a heartbeat. */
export class MemoryProcess {
  readonly id: string;
  readonly clock: Clock;
  readonly timings: Timings;
  readonly database: MemoryDatabase;
  readonly #settles: readonly string[];
  #peers = 0;

  constructor(database: MemoryDatabase, clock: Clock, { id, settles, timings }: MemoryProcessOptions) {
    this.database = database;
    this.clock = clock;
    this.id = id;
    this.timings = timings;
    this.#settles = settles;
  }

  /** Whether other processes were alive at the last heartbeat. */
  hasPeers(): boolean {
    return this.#peers > 0;
  }

  /** Renews the heartbeat. @returns the time of the database in milliseconds since 1970 */
  async beat(): Promise<number> {
    return (await this.beatAnd(() => null)).databaseMs;
  }

  /** Renews the heartbeat, and reads something in the same statement. */
  async beatAnd<T>(
    read: (tables: Tables) => T,
  ): Promise<{ readonly databaseMs: number; readonly peers: number; readonly found: T }> {
    const beaten = await this.query((tables) => {
      const { instance } = tables;
      const { clock } = this.database;
      const aliveUntil = new Date(clock.now() + this.timings.instance.aliveForMs);
      const own = instance.get(this.id);
      if (own) instance.update(own, { aliveUntil });
      else instance.insert({ id: this.id, aliveUntil, settles: this.#settles });
      const others = instance.where((row) => row.id !== this.id && this.isAlive(row));
      return { databaseMs: clock.now(), peers: others.length, found: read(tables) };
    });
    this.#peers = beaten.peers;
    return beaten;
  }

  /** Ends in order: others can take over its work at once. */
  async withdraw(): Promise<void> {
    await this.query(({ instance }) => {
      const own = instance.get(this.id);
      if (own) instance.delete(own);
    });
  }

  /** Whether an instance is alive, by the clock of the database. */
  isAlive({ aliveUntil }: { readonly aliveUntil: Date }): boolean {
    return aliveUntil.getTime() > this.database.clock.now();
  }

  /**
   * Runs one statement.
   * @param isFlushedLater whether a crash of the database may lose it until another statement has written something
   */
  async query<T>(statement: (tables: Tables) => T, isFlushedLater = false): Promise<T> {
    return this.database.execute(statement, isFlushedLater);
  }
}
