import { createApp } from '@/lib/app';
import { systemClock } from '@/lib/platform/clock';
import { migratedDatabase } from '../support/new-database';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

for (const [title, aheadMs] of [
  ['ahead', 600_000],
  ['behind', -600_000],
] as const)
  test(`an app whose machine is ten minutes ${title} goes by the time of the database`, async () => {
    const { url, drop } = await migratedDatabase();
    const { settings, log } = testPlatform({ DATABASE_URL: url });
    const now = () => Date.now() + aheadMs;
    const app = createApp({ settings, log, clock: { ...systemClock, now, date: () => new Date(now()) } });
    try {
      await app.instance.start([]);
      const [row] = await app.db.$queryRaw<{ at: Date }[]>`SELECT now() AS at`;
      const differenceMs = app.clock.now() - (row?.at.getTime() ?? 0);
      expect(Math.abs(differenceMs)).toBeLessThan(300_000);
      expect(Math.abs(app.clock.date().getTime() - app.clock.now())).toBeLessThan(60_000);
    } finally {
      await app.close();
      await drop();
    }
  });
