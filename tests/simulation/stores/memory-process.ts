import type { MemoryDatabase, Tables } from '@/packages/paywall/memory/memory-database';
import {
  type MemoryProcessOptions,
  MemoryProcess as Process,
} from '@/packages/paywall/memory/memory-process';
import type { VirtualClock } from '../virtual-clock';

/** What goes wrong with a statement: it is not done and fails, or it is done and its answer is lost, so that it seems to fail. */
export type StatementFault = 'fails' | 'answer lost';

interface ProcessOptions extends MemoryProcessOptions {
  /** How many milliseconds the next message to or from the database takes. By default it takes no time. */
  readonly latencyMs?: () => number;
  /** What goes wrong with the next statement, if anything. */
  readonly fault?: () => StatementFault | null;
}

/** A process whose messages to the database take time and may be lost, and which may be killed at any moment. */
export class MemoryProcess extends Process {
  declare readonly clock: VirtualClock;
  readonly #options: ProcessOptions;
  #isKilled = false;
  #isDoneAfterKill = () => false;

  constructor(database: MemoryDatabase, clock: VirtualClock, options: ProcessOptions) {
    super(database, clock, options);
    this.#options = options;
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
  override async query<T>(statement: (tables: Tables) => T, isFlushedLater = false): Promise<T> {
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
