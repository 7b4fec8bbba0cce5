import { type App, createApp } from '@/lib/app';
import { migratedDatabase } from './new-database';
import { testPlatform } from './platform';

/** An app for tests of the ledger: on a migrated database of its own, and with nothing else behind its settings. */
export interface LedgerApp {
  readonly app: App;
  readonly databaseUrl: string;
  /** Closes the app and drops the database. */
  close(): Promise<void>;
}

export async function openLedgerApp(): Promise<LedgerApp> {
  const { url, drop } = await migratedDatabase();
  const { settings, log } = testPlatform({ DATABASE_URL: url });
  const app = createApp({ settings, log });
  return {
    app,
    databaseUrl: url,
    async close() {
      await app.close();
      await drop();
    },
  };
}
