import pg from 'pg';
import { type App, createApp } from '@/lib/app';
import { forgetTraffic } from '@/lib/services/uploads/link-traffic';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { testPlatform } from '../support/platform';
import { shortTimings } from '../support/timings';
import { expect, test } from '../support/without-browser';

let database: NewDatabase;
let ledger: pg.Client;
let apps: readonly [App, App];

test.beforeAll(async () => {
  database = await migratedDatabase();
  ledger = new pg.Client({ connectionString: database.url });
  await ledger.connect();
  const { settings, log } = testPlatform({ DATABASE_URL: database.url, LINK_DOWNLOADS_PER_DAY: '100000' });
  const open = () => createApp({ settings, log, timings: shortTimings });
  apps = [open(), open()];
});
test.afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()));
  await ledger.end();
  await database.drop();
});

async function written(id: string): Promise<{ downloads: number; bytes: number } | undefined> {
  const { rows } = await ledger.query<{ downloads: number; bytes: number }>(
    'SELECT downloads, bytes::integer AS bytes FROM link_traffic WHERE upload_id = $1',
    [id],
  );
  return rows[0];
}

const nothing = { downloads: 0, bytes: 0 };

test('many downloads of two processes add up in the database', async () => {
  const [one, other] = apps;
  const day = one.linkTraffic.today();
  for (let index = 0; index < 500; index += 1)
    for (const app of apps) app.linkTraffic.count('up_both', day, { downloads: 1, bytes: 10 });
  one.linkTraffic.count('up_both', day, { downloads: 0, bytes: -4 });
  expect(one.linkTraffic.stateOf('up_both', nothing)[0]?.left).toBe(99_500);
  await expect.poll(() => written('up_both')).toEqual({ downloads: 1_000, bytes: 9_996 });
  // Traffic that has been written is no longer added to the figures that were read.
  const leftNow = () => other.linkTraffic.stateOf('up_both', { downloads: 1_000, bytes: 0 })[0]?.left;
  await expect.poll(leftNow).toBe(99_000);
});

test('traffic that cannot be written still counts, and is written later', async () => {
  const [{ linkTraffic }] = apps;
  await ledger.query('ALTER TABLE link_traffic RENAME TO lost');
  linkTraffic.count('up_kept', linkTraffic.today(), { downloads: 2, bytes: 20 });
  await linkTraffic.write();
  expect(linkTraffic.stateOf('up_kept', nothing)[0]?.left).toBe(99_998);
  await ledger.query('ALTER TABLE lost RENAME TO link_traffic');
  await expect.poll(() => written('up_kept')).toEqual({ downloads: 2, bytes: 20 });
});

test('a process that ends writes what it has counted', async () => {
  const { settings, log } = testPlatform({ DATABASE_URL: database.url });
  const app = createApp({ settings, log });
  app.linkTraffic.count('up_last', app.linkTraffic.today(), { downloads: 1, bytes: 5 });
  await app.close();
  expect(await written('up_last')).toEqual({ downloads: 1, bytes: 5 });
});

test('downloads of days that are over are added to the total of their upload, once', async () => {
  const [app] = apps;
  await ledger.query(`
    INSERT INTO upload (id, paid_call_id, owner, mime, size_bytes, sha256, slug, link_token, tags, created_at,
      upload_url_expires_at, expires_at, earlier_downloads)
    VALUES ('up_days', 'pc_days', 'owner', 'text/plain', 1, repeat('0', 64), 'a', 'token', '{}', now(), now(), now(), 1)`);
  await ledger.query(`
    INSERT INTO link_traffic (upload_id, day, downloads, bytes)
    SELECT 'up_days', CURRENT_DATE - day, 10 ^ day, 0 FROM generate_series(0, 4) AS day`);
  for (let time = 0; time < 2; time += 1) await forgetTraffic(app, new Date());
  const { rows } = await ledger.query(
    `SELECT earlier_downloads, (SELECT sum(downloads)::integer FROM link_traffic WHERE upload_id = id) AS kept
     FROM upload WHERE id = 'up_days'`,
  );
  // The day before today may still be written by other processes.
  expect(rows).toEqual([{ earlier_downloads: 11_101, kept: 11 }]);
});
