import pg from 'pg';
import { readMigrations } from '@/lib/platform/database/migrate';

/** A dump of a database in SQL, as `pg_dump --format=plain` makes it; its own program may be older than the server. */
export async function sqlDumpOf(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT quote_ident(relname) AS name FROM pg_class
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`,
    );
    const schema = (await readMigrations()).map(({ sql }) => sql);
    const contents: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query(`SELECT json_agg(entry)::text AS rows FROM ${name} AS entry`);
      if (rows[0]?.rows)
        contents.push(
          `INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $rows$${rows[0].rows}$rows$) ON CONFLICT DO NOTHING;`,
        );
    }
    const history = `CREATE TABLE "_prisma_migrations" ("id" VARCHAR(36) PRIMARY KEY, "checksum" VARCHAR(64) NOT NULL,
      "finished_at" TIMESTAMPTZ, "migration_name" VARCHAR(255) NOT NULL, "logs" TEXT, "rolled_back_at" TIMESTAMPTZ,
      "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(), "applied_steps_count" INTEGER NOT NULL DEFAULT 0);`;
    return [...schema, history, 'SET session_replication_role = replica;', ...contents].join('\n');
  } finally {
    await client.end();
  }
}
