import pg from 'pg';
import { consolePages, fillConsoleLedger } from '@/tests/support/console-ledger';
import { startTestStack } from '@/tests/support/global-setup';
import { migratedDatabase } from '@/tests/support/new-database';
import { startServer } from '@/tests/support/server';
import { stack } from '@/tests/support/stack';
import type { World } from './state';

type RunningWorld = World & { stop(): Promise<void> };

/** Starts what the tests start, and a second server that names its operator and whose ledger has calls in every state. */
export async function startWorld(): Promise<RunningWorld> {
  const stops = [await startTestStack()];
  const stop = async () => {
    for (const one of stops.reverse()) await one();
  };
  try {
    const database = await migratedDatabase();
    stops.push(database.drop);
    const ledger = new pg.Pool({ connectionString: database.url, max: 1 });
    const ids = await fillConsoleLedger(ledger).finally(() => ledger.end());
    const server = await startServer({
      ...stack().serverEnv,
      DATABASE_URL: database.url,
      TRUSTED_PROXIES: '1',
      OPERATOR_NAME: 'Example Ltd',
      OPERATOR_ADDRESS: '1 Example Street, 12345 Exampletown',
      OPERATOR_EMAIL: 'help@example.com',
      OPERATOR_LAW: 'Ireland',
      OPERATOR_TERMS_DATE: '2026-11-23',
    });
    stops.push(server.stop);
    const { apiUrl, filesUrl } = stack();
    return { apiUrl, filesUrl, console: { apiUrl: server.apiUrl, pages: consolePages(ids) }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
