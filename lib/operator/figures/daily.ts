import { z } from 'zod';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { dayMs, daysAfter, hourMs, startOfDay } from '@/lib/platform/durations';
import type { Platform } from '@/lib/platform/platform';

interface DailyDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock'> {}

/**
 * The business of each day, from the postings of the ledger. Postings never change, so the figures of a day that is over are
 * added up once and stored. Days are in UTC.
 */

const amounts = z.record(z.string(), z.string().transform(BigInt));

const figuresSchema = z.object({
  /** Earned, by operation: delivered and kept calls, less refunds. Atomic USDC. */
  revenue: amounts,
  /** Received on chain, by network, less what was paid back from there. Atomic USDC. */
  received: amounts,
  /** Gas, by network, with what failed payments wasted. Wei or lamports. */
  gas: amounts,
  /** The part of it that failed payments wasted. */
  gasInVain: amounts,
  /** How often each kind of posting was made for a call: settled, delivered, kept, refunded and so on. */
  calls: z.record(z.string(), z.number().int()),
});

/** What happened in a time span. */
export type Figures = z.output<typeof figuresSchema>;

export interface DayFigures {
  /** `2026-11-22` */
  readonly day: string;
  readonly figures: Figures;
}

/** Postings have the time of the process that made them, and may be committed a little later. */
const settledAfterMs = hourMs;

/**
 * The figures of the last days, including today, oldest first.
 * @param count how many days
 */
export async function readDays(app: DailyDeps, count: number): Promise<DayFigures[]> {
  const today = startOfDay(app.clock.now());
  const days = Array.from({ length: count }, (_, at) => new Date(today - (count - 1 - at) * dayMs));
  const stored = await app.db.dailyFigures.findMany({ where: { day: { in: days } } });
  const known = new Map(stored.map(({ day, figures }) => [day.getTime(), figures]));
  const found: DayFigures[] = [];
  // One at a time, so that the first read of a long ledger does not use all connections.
  for (const day of days) {
    const before = known.get(day.getTime());
    const figures = before === undefined ? await addUpDay(app, day) : figuresSchema.parse(before);
    found.push({ day: nameOf(day), figures });
  }
  return found;
}

/**
 * The figures of the last days that are over, oldest first; null for a day that has not been added up yet. Each read adds up at
 * most one, so that it takes about as long however long the ledger is.
 */
export async function readPastDays(
  app: DailyDeps,
  count: number,
): Promise<{ readonly day: string; readonly figures: Figures | null }[]> {
  const end = startOfDay(app.clock.now() - settledAfterMs);
  const days = Array.from({ length: count }, (_, at) => new Date(end - (at + 1) * dayMs));
  const stored = await app.db.dailyFigures.findMany({ where: { day: { in: days } } });
  const known = new Map(stored.map(({ day, figures }) => [day.getTime(), figuresSchema.parse(figures)]));
  const missing = days.find((day) => !known.has(day.getTime()));
  if (missing) known.set(missing.getTime(), await addUpDay(app, missing));
  return days.map((day) => ({ day: nameOf(day), figures: known.get(day.getTime()) ?? null })).reverse();
}

/** `2026-11-22` */
const nameOf = (day: Date) => day.toISOString().slice(0, 10);

async function addUpDay(app: DailyDeps, day: Date): Promise<Figures> {
  const end = daysAfter(day, 1);
  const figures = await readFigures(app, day, end);
  if (app.clock.now() > end.getTime() + settledAfterMs) {
    const row = { day, figures: storedForm(figures) };
    await app.db.dailyFigures.createMany({ data: [row], skipDuplicates: true });
  }
  return figures;
}

function storedForm(figures: Figures): Prisma.InputJsonObject {
  const text = JSON.stringify(figures, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return z.custom<Prisma.InputJsonObject>().parse(JSON.parse(text));
}

/** Adds up the postings of a time span, from the first moment to before the second. */
export async function readFigures(app: Pick<WithDatabase, 'db'>, from: Date, to: Date): Promise<Figures> {
  const isWithin = Prisma.sql`at >= ${from} AND at < ${to}`;
  const [sides, kinds] = await Promise.all([
    // Debits count as positive, so income is negative.
    app.db.$queryRaw<{ account: string; unit: string; amount: string }[]>`
      SELECT side.account, unit, sum(side.amount)::text AS amount FROM posting CROSS JOIN LATERAL (
        VALUES (debit_account::text, amount_atomic), (credit_account::text, -amount_atomic)) AS side (account, amount)
      WHERE ${isWithin} AND split_part(side.account, ':', 1) IN ('revenue', 'chain', 'expense') GROUP BY 1, 2`,
    app.db.$queryRaw<{ kind: string; count: number }[]>`
      SELECT kind, count(*)::int AS count FROM posting WHERE ${isWithin} AND paid_call_id IS NOT NULL GROUP BY 1`,
  ]);
  const figures: Figures = {
    revenue: {},
    received: {},
    gas: {},
    gasInVain: {},
    calls: Object.fromEntries(kinds.map(({ kind, count }) => [kind, count])),
  };
  for (const { account, unit, amount } of sides) add(figures, account, unit, BigInt(amount));
  return figures;
}

/**
 * Accounts are `revenue:<operation>`, `chain:<network>:treasury`, `expense:gas:<network>` and `expense:gas_in_vain:<network>`. Other
 * expenses are not gas.
 */
function add(
  { revenue, received, gas, gasInVain }: Figures,
  account: string,
  unit: string,
  amount: bigint,
): void {
  const [kind, first = '', second = ''] = account.split(':');
  if (kind === 'revenue') revenue[first] = (revenue[first] ?? 0n) - amount;
  if (kind === 'chain' && second === 'treasury' && unit === 'usdc')
    received[first] = (received[first] ?? 0n) + amount;
  if (kind === 'expense' && first !== 'unclaimable') gas[second] = (gas[second] ?? 0n) + amount;
  if (kind === 'expense' && first === 'gas_in_vain') gasInVain[second] = (gasInVain[second] ?? 0n) + amount;
}

/** The sum of all amounts of a kind. */
export function totalOf(byName: Readonly<Record<string, bigint>>): bigint {
  return Object.values(byName).reduce((sum, amount) => sum + amount, 0n);
}
