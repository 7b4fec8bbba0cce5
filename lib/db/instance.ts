import { randomToken } from '@/lib/platform/ids';
import { describeError } from '@/lib/platform/log';
import type { WithDatabase } from './database';

type App = Pick<WithDatabase, 'db' | 'log' | 'timings'>;

/** An app among those that work on the same database: its name there, and whether there are others. */
export class Instance {
  /** The name of this app in the database. */
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
   * Keeps this instance known as alive, so that nobody takes over what it is working on.
   * @param settles the networks for which it has a settlement key
   * @returns a function that ends the heartbeat and lets others take over at once
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

  /** Keeps this instance known as alive while it works, for hosts that run nothing between two requests. */
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

  /** By the database's clock, which is the same for all: an instance whose own is wrong is as alive as any other. */
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
