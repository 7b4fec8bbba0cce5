import { operations } from '@/lib/catalog';
import { testFields } from '@/lib/catalog/test-service';
import { listed, paidStates } from '@/lib/ledger/states';
import { KeptValue } from '@/lib/platform/concurrency/kept-value';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { dayMs } from '@/lib/platform/durations';
import type { Platform } from '@/lib/platform/platform';
import { isAvailable } from '@/lib/platform/upstream/availability';
import { readPastDays } from './daily';

/** Milliseconds. */
interface Percentiles {
  readonly p50: number;
  /** Null with fewer than 100 calls: it would be the slowest of them. */
  readonly p99: number | null;
}

/** How many calls of one operation began in a window. */
interface CallCounts {
  /** Calls that were charged and have ended: delivered, failed or refunded. */
  readonly calls: number;
  /** Calls that have not ended yet. */
  readonly open: number;
  /** Calls that were refused after they had begun, and not charged. */
  readonly notCharged: number;
  /** Calls that were refunded. */
  readonly refunds: number;
}

/** How the paid calls of one operation went that began in a window. With `STATUS_COUNTS=hidden` without any count. */
export interface OperationFigures extends Partial<CallCounts> {
  /** Why there are no shares and times; null where there are. */
  readonly withheld: 'few_calls' | null;
  /** The part of the calls that were charged and have ended that was delivered. */
  readonly successShare: number | null;
  /** From the accepted payment to the stored response, of what was delivered. */
  readonly deliveryMs: Percentiles | null;
  /** The part of it that the payment took on its chain. Null also where most calls are paid without one. */
  readonly settlementMs: Percentiles | null;
}

export interface FiguresWindow {
  /** The first moment that the figures cover. */
  readonly since: string;
  /** False when there were so many calls that only the newest were counted, so that `since` is later than the window begins. */
  readonly isComplete: boolean;
  readonly operations: Readonly<Record<string, OperationFigures>>;
}

const windows = { '24h': dayMs, '7d': 7 * dayMs } as const;

/** How the paid calls went that ended on one day, in UTC. */
export interface DayOutcome {
  /** `2026-11-22` */
  readonly day: string;
  /** The part of them that was delivered. Refunds count as not delivered. Null with few calls, or while it is not added up yet. */
  readonly successShare: number | null;
}

/** `GET /status.json`. Times are in UTC. */
export interface ServiceFigures extends RecentFigures {
  /** The last days that are over, oldest first. */
  readonly days: readonly DayOutcome[];
}

export interface RecentFigures {
  readonly testnet?: true;
  /** When the figures were read. */
  readonly at: string;
  readonly windows: Readonly<Record<keyof typeof windows, FiguresWindow>>;
}

/** Fewer calls say little, and would say something about single callers. */
const callsMin = 20;
/** Below that, one call in a hundred is not one call. */
const callsForP99 = 100;
const pastDays = 30;
/** How many of the newest calls are counted, so that the statement costs the same however long the ledger is. */
const countedMax = 10_000;

interface FiguresDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'settings' | 'clock'> {}

/** The figures that everybody may read, read from the ledger at most once a minute. */
export function keptServiceFigures(app: FiguresDeps & Pick<Platform, 'timings'>): KeptValue<ServiceFigures> {
  return new KeptValue(app.clock, app.timings.status.figuresAgeMs, async () => ({
    ...(await readServiceFigures(app)),
    days: (await readPastDays(app, pastDays)).map(({ day, figures }) => ({
      day,
      successShare: shareOf(figures?.calls ?? {}),
    })),
  }));
}

function shareOf({ delivered = 0, kept = 0, refunded = 0 }: Readonly<Record<string, number>>): number | null {
  const calls = delivered + kept + refunded;
  return calls < callsMin ? null : roundedDown(delivered / calls);
}

/** Rounded down, so that 1 means every call. */
const roundedDown = (share: number) => Math.floor(share * 10_000) / 10_000;

interface Row {
  readonly window: keyof typeof windows;
  readonly operation: string;
  readonly calls: number;
  readonly open: number;
  readonly notCharged: number;
  readonly refunds: number;
  readonly delivered: number;
  readonly delivery: readonly number[] | null;
  readonly settled: number;
  readonly settlement: readonly number[] | null;
  /** All calls that were read, and when the first of them began. */
  readonly counted: number;
  readonly oldest: Date;
}

const hasEnded = Prisma.raw(`state IN ${listed(paidStates.filter((state) => state !== 'settled'))}`);

/** Reads the figures in one statement, from the newest calls. */
export async function readServiceFigures(app: FiguresDeps, limit = countedMax): Promise<RecentFigures> {
  const now = app.clock.now();
  const begins = Object.entries(windows).map(
    ([name, ms]) => Prisma.sql`(${name}, ${new Date(now - ms)}::timestamptz)`,
  );
  const longest = new Date(now - Math.max(...Object.values(windows)));
  const rows = await app.db.$queryRaw<Row[]>`
    WITH newest AS MATERIALIZED (
      SELECT paid_call_id, at FROM paid_call_move WHERE from_state IS NULL AND at >= ${longest}
      ORDER BY at DESC, paid_call_id DESC LIMIT ${limit}
    ), timed AS MATERIALIZED (
      SELECT newest.at, call.operation, call.state::text, call.transaction_hash,
        (extract(epoch FROM moves.delivered - newest.at) * 1000)::float8 AS delivery,
        (extract(epoch FROM moves.settled - moves.submitted) * 1000)::float8 AS settlement
      FROM newest JOIN paid_call call ON call.id = newest.paid_call_id
      CROSS JOIN LATERAL (
        SELECT min(at) FILTER (WHERE to_state = 'settling') AS submitted, min(at) FILTER (WHERE to_state = 'settled') AS settled,
          min(at) FILTER (WHERE to_state = 'delivered') AS delivered
        FROM paid_call_move move WHERE move.paid_call_id = newest.paid_call_id
      ) AS moves
    )
    SELECT span.name AS window, operation,
      count(*) FILTER (WHERE ${hasEnded})::int AS calls,
      count(*) FILTER (WHERE NOT ${hasEnded} AND state <> 'refused')::int AS open,
      count(*) FILTER (WHERE state = 'refused')::int AS "notCharged",
      count(*) FILTER (WHERE state = 'refunded')::int AS refunds,
      count(delivery) FILTER (WHERE ${hasEnded})::int AS delivered,
      percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY delivery) AS delivery,
      count(settlement) FILTER (WHERE transaction_hash IS NOT NULL)::int AS settled,
      percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY settlement) FILTER (WHERE transaction_hash IS NOT NULL)
        AS settlement,
      (SELECT count(*) FROM newest)::int AS counted, (SELECT min(at) FROM newest) AS oldest
    FROM timed JOIN (VALUES ${Prisma.join(begins)}) AS span (name, since) ON timed.at >= span.since
    GROUP BY span.name, operation`;
  const windowOf = (name: keyof typeof windows) =>
    describeWindow(
      app,
      rows.filter(({ window }) => window === name),
      new Date(now - windows[name]),
      limit,
    );
  return {
    ...testFields(app.settings.NETWORKS === 'test'),
    at: new Date(now).toISOString(),
    windows: { '24h': windowOf('24h'), '7d': windowOf('7d') },
  };
}

/** Operations that are offered are named even without a call, and others as long as they have any. */
function describeWindow(
  app: Pick<Platform, 'settings'>,
  rows: readonly Row[],
  begin: Date,
  limit: number,
): FiguresWindow {
  const byOperation = new Map(rows.map((row) => [row.operation, row]));
  const [first] = rows;
  const isComplete = !first || first.counted < limit || first.oldest <= begin;
  const listed = operations.filter(
    (operation) => byOperation.has(operation.id) || isAvailable(app, operation),
  );
  return {
    since: (isComplete ? begin : first.oldest).toISOString(),
    isComplete,
    operations: Object.fromEntries(listed.map(({ id }) => [id, figuresOf(app, byOperation.get(id))])),
  };
}

const noCalls = { calls: 0, open: 0, notCharged: 0, refunds: 0, delivered: 0, settled: 0 };

function figuresOf({ settings }: Pick<Platform, 'settings'>, row: Row | undefined): OperationFigures {
  const { calls, open, notCharged, refunds, delivered, settled } = row ?? noCalls;
  const isFew = calls < callsMin;
  const counts = { calls, open, notCharged, refunds };
  return {
    ...(settings.STATUS_COUNTS === 'shown' ? counts : {}),
    withheld: isFew ? 'few_calls' : null,
    successShare: isFew ? null : roundedDown(delivered / calls),
    deliveryMs: isFew ? null : percentiles(row?.delivery, delivered),
    settlementMs: isFew ? null : percentiles(row?.settlement, settled),
  };
}

function percentiles(values: readonly number[] | null | undefined, count: number): Percentiles | null {
  const [p50, p99] = values ?? [];
  if (count < callsMin || p50 === undefined || p99 === undefined) return null;
  // The clocks of two processes may be a little apart.
  const whole = (ms: number) => Math.max(0, Math.round(ms));
  return { p50: whole(p50), p99: count < callsForP99 ? null : whole(p99) };
}
