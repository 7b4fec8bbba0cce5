import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { beatAndFindWork } from '@/lib/ledger/due-work';
import { finalityRecord } from '@/lib/ledger/finality-record';
import { callStore } from '@/lib/ledger/postgres-call-store';
import { settlementJournal } from '@/lib/ledger/settlement-journal';
import { eraseAnswers } from '@/lib/ledger/stored-answer';
import { isSolanaName } from '@/lib/payments/network-offers';
import { receiptKeyRecord } from '@/lib/payments/receipts/receipt-keys';
import { closeDatabase, openDatabase } from '@/lib/platform/database/database';
import { claimInstallation } from '@/lib/platform/database/installation';
import { Instance } from '@/lib/platform/database/instance';
import { applyMigrations } from '@/lib/platform/database/migrate';
import type * as declared from './postgres-types';
import type { PostgresOptions } from './postgres-types';
import type { OpenableStore } from './store';

const schema = z.strictObject({
  databaseUrl: z.url({ protocol: /^postgres(ql)?$/ }),
  connections: z.number().int().min(3).max(500).default(10),
});

/** The migrations as the package has them. */
const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

/**
 * Keeps everything in PostgreSQL, encrypted where it is private.
 * @throws Error when an option is malformed
 */
export function postgresStore(options: PostgresOptions): OpenableStore {
  const checked = schema.safeParse(options);
  if (checked.error) throw new Error(`postgresStore: ${z.prettifyError(checked.error)}`);
  const { databaseUrl, connections } = checked.data;
  return {
    kind: 'postgres',
    open({ networks, isTest, ...parts }) {
      const settings = {
        DATABASE_URL: databaseUrl,
        DATABASE_POOL: connections,
        NETWORKS: isTest ? ('test' as const) : ('main' as const),
        // Calls that cannot be delivered pause nothing: there is no console in which to deal with them.
        WORKLIST_LIMIT: 0,
      };
      const platform = { ...parts, settings };
      const database = openDatabase(platform);
      const instance = new Instance({ ...platform, ...database }, parts.clock);
      const app = { ...platform, ...database, instance };
      let withdraw: () => Promise<void> = async () => undefined;
      return {
        calls: callStore(app),
        journal: settlementJournal(app),
        finality: finalityRecord(app),
        receiptKeys: receiptKeyRecord(app),
        instance,
        async start() {
          await applyMigrations(databaseUrl, migrationsFolder);
          await claimInstallation(app);
          // On Solana, nothing is queued for the process that has the key.
          withdraw = await instance.start(networks.filter((name) => !isSolanaName(name)));
        },
        findWork: () => beatAndFindWork(app, networks, parts.clock.date()),
        erase: async (now) => void (await eraseAnswers(app, now)),
        async close() {
          await withdraw();
          await closeDatabase(app);
        },
      };
    },
  };
}

// What is declared to those who use the package is what it has.
({ postgresStore }) satisfies Pick<typeof declared, 'postgresStore'>;
