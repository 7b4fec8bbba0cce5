import pg from 'pg';
import { type App, createApp } from '@/lib/app';
import { migratedDatabase } from './new-database';
import { testPlatform } from './platform';

/** An app for tests of the ledger, on a migrated database of its own. No other service in its settings exists. */
export interface LedgerApp {
  readonly app: App;
  readonly databaseUrl: string;
  /** Connections to the database that are not the app's. */
  readonly ledger: pg.Pool;
  /** Closes the app and drops the database. */
  close(): Promise<void>;
}

/** @param changed settings to add or override */
export async function openLedgerApp(changed: Record<string, string> = {}): Promise<LedgerApp> {
  const { url, drop } = await migratedDatabase();
  const { settings, log } = testPlatform({ DATABASE_URL: url, ...changed });
  const app = createApp({ settings, log });
  const ledger = new pg.Pool({ connectionString: url });
  return {
    app,
    databaseUrl: url,
    ledger,
    async close() {
      await ledger.end();
      await app.close();
      await drop();
    },
  };
}
