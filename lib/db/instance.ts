import { randomToken } from '@/lib/platform/ids';
import { describeError } from '@/lib/platform/log';
import type { WithDatabase } from './database';

type App = Pick<WithDatabase, 'db' | 'log' | 'timings'>;

/** This app as one of several on the same database: its id and its heartbeat. */
export class Instance {
  /** The id of this app in the database. */
  readonly id = randomToken(16);
  readonly #app: App;
  #peers = 0;

  constructor(app: App) {
    this.#app = app;
  }

  /** Whether other instances of the service were alive at the last heartbeat. */
  hasPeers(): boolean {
    return this.#peers > 0;
  }

  /**
   * Starts the heartbeat, so that no other instance takes over this one's work.
   * @param settles the networks for which it has a settlement key
   * @returns a function that ends the heartbeat, so that others can take over at once
   */
  async start(settles: readonly string[]): Promise<() => Promise<void>> {
    await this.#beat(settles);
    await this.#forgetLongDead();
    const timer = this.#keepBeating(settles);
    return async () => {
      clearInterval(timer);
      await this.#app.db.instance.deleteMany({ where: { id: this.id } });
    };
  }

  /** Keeps the heartbeat going during `work`, for hosts that run nothing between two requests. */
  async whileAlive<T>(work: () => Promise<T>): Promise<T> {
    await this.#beat([]);
    await this.#forgetLongDead();
    const timer = this.#keepBeating([]);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }

  /** Uses the database's clock, which is the same for all instances. */
  async #beat(settles: readonly string[]): Promise<void> {
    const [row] = await this.#app.db.$queryRaw<{ peers: number }[]>`
      WITH beaten AS (
        INSERT INTO instance (id, alive_until, settles) VALUES (${this.id}, now() + ${this.#app.timings.instance.aliveForMs} * interval '1 millisecond', ${settles})
        ON CONFLICT (id) DO UPDATE SET alive_until = EXCLUDED.alive_until
      )
      SELECT count(*)::int AS peers FROM instance WHERE alive_until > now() AND id <> ${this.id}`;
    this.#peers = row?.peers ?? 0;
  }

  #keepBeating(settles: readonly string[]): NodeJS.Timeout {
    return setInterval(() => {
      this.#beat(settles).catch((error: unknown) =>
        this.#app.log.error({ error: describeError(error) }, 'a heartbeat was missed'),
      );
    }, this.#app.timings.instance.heartbeatMs);
  }

  async #forgetLongDead(): Promise<void> {
    await this.#app.db.$executeRaw`DELETE FROM instance WHERE alive_until < now() - interval '1 day'`;
  }
}
