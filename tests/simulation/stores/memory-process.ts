import type { Timings } from '@/lib/platform/timings';
import type { VirtualClock } from '../virtual-clock';
import type { MemoryDatabase, Tables } from './memory-database';

/** What goes wrong with a statement: it is not done and fails, or it is done and its answer is lost, so that it seems to fail. */
export type StatementFault = 'fails' | 'answer lost';

export interface ProcessOptions {
  readonly id: string;
  /** The networks for which it has a settlement key. */
  readonly settles: readonly string[];
  readonly timings: Timings;
  /** How many milliseconds the next message to or from the database takes. By default it takes no time. */
  readonly latencyMs?: () => number;
  /** What goes wrong with the next statement, if anything. */
  readonly fault?: () => StatementFault | null;
}

/** A process that uses a database in memory: an instance with a heartbeat, which may be killed at any moment. */
export class MemoryProcess {
  readonly id: string;
  readonly clock: VirtualClock;
  readonly timings: Timings;
  readonly database: MemoryDatabase;
  readonly #options: ProcessOptions;
  #peers = 0;
  #isKilled = false;
  #isDoneAfterKill = () => false;

  constructor(database: MemoryDatabase, clock: VirtualClock, options: ProcessOptions) {
    this.database = database;
    this.clock = clock;
    this.id = options.id;
    this.timings = options.timings;
    this.#options = options;
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
      else instance.insert({ id: this.id, aliveUntil, settles: this.#options.settles });
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
   * Kills the process. Its timers and the statements under way never end.
   * @param isDone decides for each statement under way, when it would have arrived, whether the database still does it
   */
  kill(isDone: () => boolean = () => false): void {
    this.#isKilled = true;
    this.#isDoneAfterKill = isDone;
    this.clock.kill();
  }

  /**
   * Runs one statement.
   * @param isFlushedLater whether a crash of the database may lose it until another statement has written something
   */
  async query<T>(statement: (tables: Tables) => T, isFlushedLater = false): Promise<T> {
    if (this.#isKilled) return never();
    const { crashes } = this.database;
    const fault = this.#options.fault?.() ?? null;
    await this.#travel();
    if (this.#isKilled && !this.#isDoneAfterKill()) return never();
    if (fault === 'fails' || this.database.crashes > crashes) throw new ConnectionLost();
    const outcome = outcomeOf(() => this.database.execute(statement, isFlushedLater));
    await this.#travel();
    if (this.#isKilled) return never();
    if (fault === 'answer lost' || this.database.crashes > crashes) throw new ConnectionLost();
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  /** A message under way does not depend on the process that has sent it, so the clock of the database measures its time. */
  async #travel(): Promise<void> {
    const ms = this.#options.latencyMs?.() ?? 0;
    await (ms > 0 ? this.database.clock.sleep(ms) : undefined);
  }
}

/** The connection to the database was cut. The statement may have been done. */
export class ConnectionLost extends Error {
  constructor() {
    super('the connection to the database was cut');
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function outcomeOf<T>(work: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
