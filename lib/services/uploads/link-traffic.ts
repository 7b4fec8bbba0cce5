import { type LinkLimits, linkLimitsOf } from '@/lib/catalog/link-limits';
import type { RateLimitState } from '@/lib/catalog/rate-limits';
import type { WithDatabase } from '@/lib/platform/database/database';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';

interface LinkTrafficDeps
  extends Pick<WithDatabase & Platform, 'db' | 'settings' | 'clock' | 'timings' | 'log'> {}

/** How often a link was downloaded, and how many bytes of its file were sent. */
export interface Traffic {
  readonly downloads: number;
  readonly bytes: number;
}

/** The upload of a public link, with the traffic of the link on one day, as far as it has been written. */
export interface ServedUpload extends Traffic {
  readonly id: string;
  readonly slug: string;
  readonly filename: string | null;
  readonly mime: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly createdAt: Date;
  readonly uploadUrlExpiresAt: Date;
  readonly expiresAt: Date;
  readonly deletedAt: Date | null;
  readonly takenDownAt: Date | null;
}

interface Counted extends Traffic {
  readonly uploadId: string;
  readonly day: string;
}

const daySeconds = 86_400;
/** A process writes its traffic at once when it has this part (1/100) of a limit unwritten. */
const writtenParts = 100;

/**
 * Counts the daily traffic of public links across all processes on a database. A process keeps its counts for some
 * seconds, then writes them for all links in one statement, so a download writes nothing. Every process sees its own
 * counts and whatever the others have written. What it sees of each may lag by a hundredth of the limit.
 */
export class LinkTraffic {
  readonly #app: LinkTrafficDeps;
  readonly limits: LinkLimits;
  readonly #unwritten = new Map<string, Counted>();
  #writing: Promise<void> | null = null;
  #cancel: (() => void) | null = null;

  constructor(app: LinkTrafficDeps) {
    this.#app = app;
    this.limits = linkLimitsOf(app.settings);
  }

  /** The day that traffic counts for now, as `YYYY-MM-DD`. */
  today(): string {
    return this.#app.clock.date().toISOString().slice(0, 'YYYY-MM-DD'.length);
  }

  /** The upload of a public link, with its traffic on a day; undefined when there is none. */
  async findUpload(linkToken: string, day: string): Promise<ServedUpload | undefined> {
    const [upload] = await this.#app.db.$queryRaw<ServedUpload[]>`
      SELECT id, slug, filename, mime, size_bytes AS "sizeBytes", sha256, created_at AS "createdAt",
        upload_url_expires_at AS "uploadUrlExpiresAt", expires_at AS "expiresAt", deleted_at AS "deletedAt",
        taken_down_at AS "takenDownAt", COALESCE(downloads, 0) AS downloads, COALESCE(bytes, 0)::float8 AS bytes
      FROM upload LEFT JOIN link_traffic ON upload_id = id AND day = ${day}::date
      WHERE link_token = ${linkToken}`;
    return upload;
  }

  /**
   * What is left of a link's limits.
   * @param written what the database has for today
   */
  stateOf(uploadId: string, written: Traffic): readonly RateLimitState[] {
    const own = this.#unwritten.get(keyOf(uploadId, this.today()));
    const resetSeconds = daySeconds - (Math.floor(this.#app.clock.now() / 1_000) % daySeconds);
    const { downloads, bytes } = this.limits;
    const left = (quota: number, name: keyof Traffic) =>
      Math.max(0, quota - written[name] - (own?.[name] ?? 0));
    const states: RateLimitState[] = [];
    if (downloads !== null) {
      const limit = { name: 'link-downloads', quota: downloads, windowSeconds: daySeconds };
      states.push({ limit, left: left(downloads, 'downloads'), resetSeconds });
    }
    if (bytes !== null) {
      const unit = 'content-bytes' as const;
      const limit = { name: 'link-bytes', quota: bytes, windowSeconds: daySeconds, unit };
      states.push({ limit, left: left(bytes, 'bytes'), resetSeconds });
    }
    return states;
  }

  /** Counts traffic of a link. Bytes that were counted but not sent are taken back with a negative amount. */
  count(uploadId: string, day: string, { downloads, bytes }: Traffic): void {
    const key = keyOf(uploadId, day);
    const before = this.#unwritten.get(key) ?? { downloads: 0, bytes: 0 };
    const counted = { uploadId, day, downloads: before.downloads + downloads, bytes: before.bytes + bytes };
    this.#unwritten.set(key, counted);
    const { limits } = this;
    const isLarge = (['downloads', 'bytes'] as const).some((name) => {
      const quota = limits[name];
      return quota !== null && counted[name] * writtenParts >= quota;
    });
    if (isLarge) void this.write();
    else this.#writeLater();
  }

  /** Resolves when no write is in progress. A write in progress may or may not show in a concurrent read of the database. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Writes the counts. Never rejects: a failed write is retried later. */
  write(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    this.#writing ??= this.#writeOnce()
      .catch((error: unknown) => {
        this.#app.log.warn({ error: describeError(error) }, 'the traffic of links could not be written');
      })
      .finally(() => {
        this.#writing = null;
        if (this.#unwritten.size > 0) this.#writeLater();
      });
    return this.#writing;
  }

  async #writeOnce(): Promise<void> {
    const taken = [...this.#unwritten.values()];
    if (taken.length === 0) return;
    // A fixed order, so that two processes cannot deadlock.
    await this.#app.db.$executeRaw`
      INSERT INTO link_traffic (upload_id, day, downloads, bytes)
      SELECT "uploadId", day, downloads, bytes FROM jsonb_to_recordset(${JSON.stringify(taken)}::jsonb)
        AS counted ("uploadId" text, day date, downloads integer, bytes bigint) ORDER BY "uploadId", day
      ON CONFLICT (upload_id, day) DO UPDATE SET downloads = link_traffic.downloads + EXCLUDED.downloads,
        bytes = link_traffic.bytes + EXCLUDED.bytes`;
    for (const { uploadId, day, downloads, bytes } of taken)
      this.#forget(keyOf(uploadId, day), downloads, bytes);
  }

  /** Keeps what was counted while the statement ran. */
  #forget(key: string, downloads: number, bytes: number): void {
    const now = this.#unwritten.get(key);
    if (!now) return;
    const rest = { ...now, downloads: now.downloads - downloads, bytes: now.bytes - bytes };
    if (rest.downloads === 0 && rest.bytes === 0) this.#unwritten.delete(key);
    else this.#unwritten.set(key, rest);
  }

  #writeLater(): void {
    this.#cancel ??= this.#app.clock.after(this.#app.timings.links.writeTrafficMs, () => void this.write());
  }

  /** Writes what is left before the process ends. */
  async end(): Promise<void> {
    await this.settled();
    await this.write();
    this.#cancel?.();
    this.#cancel = null;
  }
}

function keyOf(uploadId: string, day: string): string {
  return `${day} ${uploadId}`;
}

/** Adds what was counted on days that are over to the uploads' totals, and deletes it. */
export async function forgetTraffic({ db }: Pick<WithDatabase, 'db'>, now: Date): Promise<void> {
  // A process may still write what it counted before midnight.
  const before = new Date(now.getTime() - daySeconds * 1_000).toISOString().slice(0, 'YYYY-MM-DD'.length);
  await db.$executeRaw`
    WITH over AS (
      DELETE FROM link_traffic WHERE day < ${before}::date RETURNING upload_id, downloads
    ), total AS (
      SELECT upload_id, sum(downloads)::integer AS downloads FROM over GROUP BY upload_id
    )
    UPDATE upload SET earlier_downloads = earlier_downloads + total.downloads
    FROM total WHERE id = upload_id`;
}
