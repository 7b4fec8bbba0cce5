import { randomToken } from '@/lib/platform/ids';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import { hasEnded, ownIdentity } from '@/lib/platform/process-identity';
import type { SharedClock } from '@/lib/platform/shared-clock';
import type { WithDatabase } from './database';
import { Prisma } from './generated/client';

type InstanceDeps = Pick<WithDatabase, 'db'> & Pick<Platform, 'log' | 'timings'>;

interface DatabaseTime {
  readonly databaseMs: number;
}

/** This app as one of several that share a database: its id and its heartbeat. */
export class Instance {
  /** The id of this app in the database. */
  readonly id = randomToken(16);
  readonly #app: InstanceDeps;
  readonly #clock: SharedClock;
  readonly #process = ownIdentity();
  #settles: readonly string[] = [];
  #peers = 0;

  /** @param clock is set by each heartbeat */
  constructor(app: InstanceDeps, clock: SharedClock) {
    this.#app = app;
    this.#clock = clock;
  }

  /** Whether other instances of the service were alive at the last heartbeat. */
  hasPeers(): boolean {
    return this.#peers > 0;
  }

  /** Records how many other instances were alive at a heartbeat. */
  countPeers(peers: number): void {
    this.#peers = peers;
  }

  /**
   * Sets the app's clock by that of the database.
   * @param ask reads `time`, and whatever else is needed
   */
  async syncClock<Row extends DatabaseTime>(ask: () => Promise<Row>): Promise<Row> {
    const requestedAt = this.#clock.monotonic();
    const row = await ask();
    this.#clock.follow(row.databaseMs, requestedAt);
    return row;
  }

  /**
   * Makes this instance known to the others, so that they do not take over its work. From then on `pollForWork`
   * (lib/operator) renews the heartbeat.
   * @param settles the networks for which it has a settlement key
   * @returns a function that withdraws the instance, so that others can take over at once
   */
  async start(settles: readonly string[]): Promise<() => Promise<void>> {
    this.#settles = settles;
    await this.#forgetEnded();
    await this.#beat();
    await this.#forgetLongDead();
    return async () => {
      await this.#app.db.instance.deleteMany({ where: { id: this.id } });
    };
  }

  /** Renews the heartbeat during `work`, for hosts that run nothing between requests. */
  async whileAlive<T>(work: () => Promise<T>): Promise<T> {
    await this.#beat();
    await this.#forgetLongDead();
    const timer = setInterval(() => {
      this.#beat().catch((error: unknown) =>
        this.#app.log.error({ error: describeError(error) }, 'a heartbeat was missed'),
      );
    }, this.#app.timings.instance.heartbeatMs);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }

  /** The statement that renews the heartbeat. It uses the database's clock, which is the same for all instances. */
  get heartbeat(): Prisma.Sql {
    return Prisma.sql`
      INSERT INTO instance (id, alive_until, settles, machine, process)
      VALUES (${this.id}, now() + ${this.#app.timings.instance.aliveForMs} * interval '1 millisecond', ${this.#settles},
        ${this.#process?.machine ?? null}, ${this.#process?.process ?? null})
      ON CONFLICT (id) DO UPDATE SET alive_until = EXCLUDED.alive_until`;
  }

  /** How many other instances are alive, as an expression. */
  get peers(): Prisma.Sql {
    return Prisma.sql`(SELECT count(*)::int FROM instance WHERE alive_until > now() AND id <> ${this.id})`;
  }

  /** The time of the database in milliseconds since 1970, as an expression. */
  get time(): Prisma.Sql {
    return Prisma.sql`EXTRACT(epoch FROM clock_timestamp())::float8 * 1000`;
  }

  async #beat(): Promise<void> {
    const { peers } = await this.syncClock(async () => {
      const [row] = await this.#app.db.$queryRaw<(DatabaseTime & { peers: number })[]>`
        WITH beaten AS (${this.heartbeat}) SELECT ${this.peers} AS peers, ${this.time} AS "databaseMs"`;
      if (!row) throw new Error('the database returned nothing');
      return row;
    });
    this.countPeers(peers);
  }

  /** Deletes instances whose process on this machine has ended, so that nothing waits for their heartbeats to expire. */
  async #forgetEnded(): Promise<void> {
    if (!this.#process) return;
    const neighbors = await this.#app.db.instance.findMany({
      where: { machine: this.#process.machine },
      select: { id: true, process: true },
    });
    const ended = neighbors.filter(({ process }) => process !== null && hasEnded({ process }));
    if (ended.length === 0) return;
    await this.#app.db.instance.deleteMany({ where: { id: { in: ended.map(({ id }) => id) } } });
    this.#app.log.info({ instances: ended.length }, 'instances of this machine that ended were forgotten');
  }

  async #forgetLongDead(): Promise<void> {
    await this.#app.db.$executeRaw`DELETE FROM instance WHERE alive_until < now() - interval '1 day'`;
  }
}
