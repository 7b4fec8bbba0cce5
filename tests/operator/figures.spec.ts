import type { App } from '@/lib/app';
import { readLatency, readRefusals } from '@/lib/operator/figures/call-figures';
import { readDays, readFigures, totalOf } from '@/lib/operator/figures/daily';
import { openLedgerApp } from '../support/ledger-app';
import { addCall, addSettlement } from '../support/ledger-rows';
import { expect, test } from '../support/without-browser';

/** The figures of the console's overview. */

const dayMs = 86_400_000;

async function withLedger(work: (app: App, now: number) => Promise<void>): Promise<void> {
  const { app, close } = await openLedgerApp();
  try {
    await work(app, Date.now());
  } finally {
    await close();
  }
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

test('each day has what was earned, received and spent on it', () =>
  withLedger(async (app, now) => {
    const twoDaysAgo = new Date(Math.floor(now / dayMs) * dayMs - 2 * dayMs + 3_600_000);
    await addCall(app.pool, { createdAt: twoDaysAgo, amountAtomic: 5_000 });
    await addCall(app.pool, {
      createdAt: twoDaysAgo,
      amountAtomic: 70_000,
      operation: 'serp.search',
      network: 'polygon',
    });
    await addCall(app.pool, {
      createdAt: twoDaysAgo,
      amountAtomic: 900_000,
      states: ['settled', ['needs_attention', 'delivery_failed']],
    });
    await addCall(app.pool, { createdAt: twoDaysAgo, states: [['refused', 'insufficient_funds']] });
    await addSettlement(app.pool, { hash: '0xaa', at: twoDaysAgo, feeAtomic: 42n });
    const days = await readDays(app, 3);
    expect(days.map(({ day }) => day)).toEqual([dayOf(now - 2 * dayMs), dayOf(now - dayMs), dayOf(now)]);
    expect(days[0]?.figures).toEqual({
      revenue: { 'uploads.create': 5_000n, 'serp.search': 70_000n },
      received: { base: 905_000n, polygon: 70_000n },
      gas: { base: 42n },
      gasInVain: {},
      calls: { settled: 3, delivered: 2 },
    });
    for (const { figures } of days.slice(1)) expect(totalOf(figures.revenue)).toBe(0n);
  }));

test('a day that is over is added up once; today is added up again', () =>
  withLedger(async (app, now) => {
    const today = Math.floor(now / dayMs) * dayMs;
    const read = async () => (await readDays(app, 4)).map(({ figures }) => totalOf(figures.revenue));
    await addCall(app.pool, { createdAt: new Date(today - 3 * dayMs + 1_000) });
    expect(await read()).toEqual([5_000n, 0n, 0n, 0n]);
    const stored = await app.db.dailyFigures.findMany({ orderBy: { day: 'asc' } });
    expect(dayOf(stored[0]?.day.getTime() ?? 0)).toBe(dayOf(today - 3 * dayMs));
    expect(stored.map(({ day }) => dayOf(day.getTime()))).not.toContain(dayOf(now));
    await app.pool.query(
      `UPDATE daily_figures SET figures = jsonb_set(figures, '{revenue}', '{"uploads.create": "7"}')
      WHERE day = $1`,
      [dayOf(today - 3 * dayMs)],
    );
    await addCall(app.pool, { createdAt: new Date(today), states: ['settled', 'kept'] });
    expect(await read()).toEqual([7n, 0n, 0n, 5_000n]);
  }));

test('a time span ends before its last moment', () =>
  withLedger(async (app, now) => {
    const createdAt = new Date(now - 10_000);
    await addCall(app.pool, { createdAt });
    const settledAt = new Date(createdAt.getTime() + 1_000);
    const upTo = async (end: Date) => (await readFigures(app, new Date(now - 60_000), end)).calls;
    expect(await upTo(settledAt)).toEqual({});
    expect(await upTo(new Date(settledAt.getTime() + 1))).toEqual({ settled: 1 });
  }));

test('latency is that of delivered and kept calls, refusals are counted by day and reason', () =>
  withLedger(async (app, now) => {
    const createdAt = new Date(now - 60_000);
    for (const states of [['settled', 'delivered'], ['settled', 'kept'], ['settled']] as const)
      await addCall(app.pool, { createdAt, states });
    for (const reason of ['expired', 'expired', 'insufficient_funds'])
      await addCall(app.pool, { createdAt, states: [['refused', reason]] });
    await addCall(app.pool, { createdAt: new Date(now - 9 * dayMs), states: [['refused', 'expired']] });
    expect(await readLatency(app)).toEqual([
      { operation: 'uploads.create', calls: 2, medianMs: 2_000, slowMs: 2_000 },
    ]);
    const refusals = await readRefusals(app, new Date(now - 3 * dayMs));
    expect(refusals.toSorted((one, other) => other.count - one.count)).toEqual([
      { day: dayOf(createdAt.getTime()), reason: 'expired', count: 2 },
      { day: dayOf(createdAt.getTime()), reason: 'insufficient_funds', count: 1 },
    ]);
  }));
