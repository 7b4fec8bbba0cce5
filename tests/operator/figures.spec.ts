import { figuresMarkdown } from '@/app/_site/docs/service-figures';
import type { App } from '@/lib/app';
import { readLatency, readRefusals } from '@/lib/operator/figures/call-figures';
import { readDays, readFigures, totalOf } from '@/lib/operator/figures/daily';
import { keptServiceFigures, readServiceFigures } from '@/lib/operator/figures/service-figures';
import { askApp } from '../support/ask-app';
import { openLedgerApp } from '../support/ledger-app';
import { addCall, addCalls, addSettlement } from '../support/ledger-rows';
import { expect, test } from '../support/without-browser';

/** The figures of the console's overview, and those for everybody. */

const dayMs = 86_400_000;

async function withLedger(
  work: (app: App, now: number) => Promise<void>,
  settings: Parameters<typeof openLedgerApp>[0] = {},
): Promise<void> {
  const { app, close } = await openLedgerApp(settings);
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

const askForFigures = (app: App) => askApp(app, new Request('https://api.example.com/status.json'));

test('everybody can read how the calls of the last day and week went, and how many were counted', () =>
  withLedger(async (app, now) => {
    const createdAt = new Date(now - 3_600_000);
    const lastWeek = new Date(now - 3 * dayMs);
    const paid = { createdAt, transactionHash: '0xaa' };
    const times = (count: number, call: Parameters<typeof addCall>[1]) => addCalls(app.pool, count, call);
    await times(23, paid);
    await times(1, { ...paid, states: ['settled', 'kept'] });
    await times(1, { ...paid, states: ['settled', ['needs_attention', 'upload_not_found']] });
    // Not ended, not charged, and too old.
    await times(2, { ...paid, states: ['settled'] });
    await times(3, { createdAt, states: [['refused', 'expired']] });
    await times(80, { ...paid, createdAt: lastWeek, states: ['settled', 'settled', 'delivered'] });
    await times(1, { ...paid, createdAt: new Date(now - 8 * dayMs) });
    // An account pays without a chain.
    await times(20, { createdAt, operation: 'forms.create', network: 'account', rail: 'account' });
    const { status, headers, body } = await askForFigures(app);
    expect([status, headers['Cache-Control'], headers['Access-Control-Allow-Origin']]).toEqual([
      200,
      'public, max-age=60',
      '*',
    ]);
    const { windows } = JSON.parse(body ?? '');
    const day = windows['24h'];
    expect(now - Date.parse(day.since) - dayMs).toBeLessThan(60_000);
    expect(day).toMatchObject({ isComplete: true });
    const oneDay = { calls: 25, open: 2, notCharged: 3, refunds: 0, withheld: null };
    expect(day.operations['uploads.create']).toEqual({
      ...oneDay,
      successShare: 0.92,
      deliveryMs: { p50: 2_000, p99: null },
      settlementMs: { p50: 1_000, p99: null },
    });
    expect(day.operations['forms.create']).toMatchObject({
      calls: 20,
      successShare: 1,
      deliveryMs: { p50: 2_000, p99: null },
      settlementMs: null,
    });
    expect(windows['7d'].operations['uploads.create']).toEqual({
      ...oneDay,
      calls: 105,
      successShare: 0.9809,
      deliveryMs: { p50: 3_000, p99: 3_000 },
      settlementMs: { p50: 1_000, p99: 1_000 },
    });
    // The newest calls alone, which began when they say.
    const newest = await readServiceFigures(app, 10);
    expect(newest.windows['7d']).toMatchObject({ isComplete: false, since: createdAt.toISOString() });
  }));

test('everybody can read which part of the calls of each past day was delivered, unless there were few', () =>
  withLedger(async (app, now) => {
    const noonOf = (daysAgo: number) =>
      new Date(Math.floor((now - 3_600_000) / dayMs) * dayMs - daysAgo * dayMs + dayMs / 2);
    await addCalls(app.pool, 19, { createdAt: noonOf(1) });
    await addCall(app.pool, { createdAt: noonOf(1), states: ['settled', 'kept'] });
    await addCalls(app.pool, 19, { createdAt: noonOf(2) });
    const outcomeOf = async (daysAgo: number) =>
      (await keptServiceFigures(app).get()).days.find(({ day }) => day === dayOf(noonOf(daysAgo).getTime()));
    expect(await outcomeOf(1)).toMatchObject({ successShare: 0.95 });
    expect(await outcomeOf(2)).toMatchObject({ successShare: null });
    await addCalls(app.pool, 20, { createdAt: noonOf(3) });
    expect(await outcomeOf(3)).toMatchObject({ successShare: 1 });
    expect(await outcomeOf(0)).toBeUndefined();
    const text = figuresMarkdown(await app.serviceFigures.get());
    expect(text).toMatch(/2 of 30 days have a figure\. Fewer than 99% were delivered on \w+ \d+ \(95%\)\./);
  }));

test('figures of few calls are withheld, and all are read from the ledger once a minute', () =>
  withLedger(async (app, now) => {
    const createdAt = new Date(now - 60_000);
    await addCalls(app.pool, 19, { createdAt });
    const first = await askForFigures(app);
    const { operations, isComplete } = JSON.parse(first.body ?? '').windows['24h'];
    expect(isComplete).toBe(true);
    const few = {
      refunds: 0,
      withheld: 'few_calls',
      successShare: null,
      deliveryMs: null,
      settlementMs: null,
    };
    expect(operations['uploads.create']).toEqual({ calls: 19, open: 0, notCharged: 0, ...few });
    expect(operations['uploads.renew']).toEqual({ calls: 0, open: 0, notCharged: 0, ...few });
    await addCall(app.pool, { createdAt });
    expect((await askForFigures(app)).body).toBe(first.body);
  }));

test('an operator can hide how many calls there are, and shares and times stay', () =>
  withLedger(
    async (app, now) => {
      await addCalls(app.pool, 30, { createdAt: new Date(now - 60_000), transactionHash: '0xaa' });
      const figures = await app.serviceFigures.get();
      expect(figures.windows['24h'].operations).toMatchObject({
        'uploads.create': {
          ...{ withheld: null, successShare: 1 },
          ...{ deliveryMs: { p50: 2_000, p99: null }, settlementMs: { p50: 1_000, p99: null } },
        },
        'uploads.renew': { withheld: 'few_calls', successShare: null },
      });
      expect(JSON.stringify(figures)).not.toMatch(/"(calls|open|notCharged|refunds)"/);
      const [first = '', ...others] = figuresMarkdown(figures).match(/^\|.*$/gm) ?? [];
      expect(first).toBe('| Call | Delivered | Median | p99 | On chain |');
      // Only what has figures is shown, for both windows.
      expect(others.filter((row) => row.includes('`'))).toEqual(
        Array(2).fill('| `uploads.create` | 100% | 2.0 s | – | 1.0 s |'),
      );
    },
    { STATUS_COUNTS: 'hidden' },
  ));

test('without its database a service has no figures, and says so', async () => {
  const { app, close } = await openLedgerApp();
  await close();
  const { status, body } = await askForFigures(app);
  expect([status, JSON.parse(body ?? '').error.message]).toEqual([503, 'The database does not respond.']);
});
