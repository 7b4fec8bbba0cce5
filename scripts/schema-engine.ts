import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import type {
  DiagnoseMigrationHistoryOutput,
  MigrationList,
  SchemasContainer,
} from '@prisma/schema-engine-wasm/schema_engine_bg';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';
import { type QueryArrayConfig, types } from 'pg';
import type { Migration } from '@/lib/platform/database/migrate';

/**
 * Prisma's schema engine as WASM, for development and tests: it compares the migrations with schema.prisma. The server never
 * loads it.
 */

/** Tables that migrations create by hand and that are not in schema.prisma. */
const filters = {
  externalTables: ['public.legal_move', 'public.legal_refund_move', 'public.legal_settlement_move'],
  externalEnums: [],
};

/** Two empty databases on a temporary server. The engine replays the migrations in `shadowUrl`. */
export interface ScratchDatabases {
  readonly mainUrl: string;
  readonly shadowUrl: string;
}

let isLoaded = false;

/** Node 20 cannot import the .wasm file that the package's main module imports, so it is instantiated here. */
async function loadEngine(): Promise<void> {
  if (isLoaded) return;
  // The engine reports the reason of a panic here.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: { set_message: (message: string) => console.error(message) },
  });
  const glueFile = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const code = await readFile(path.join(path.dirname(glueFile), 'schema_engine_bg.wasm'));
  const imports = { './schema_engine_bg.js': engineModule as unknown as WebAssembly.ModuleImports };
  const { instance } = await WebAssembly.instantiate(code, imports);
  engineModule.__wbg_set_wasm(instance.exports);
  // wasm-bindgen always exports this function. The package's main module makes the same two calls.
  (instance.exports.__wbindgen_start as () => void)();
  isLoaded = true;
}

/**
 * Prisma's adapter with two fixes for migrations. It splits scripts at every semicolon, even inside trigger functions, and does
 * not know the type of the one-letter columns in PostgreSQL's system catalog.
 */
class MigrationPg extends PrismaPg {
  constructor(
    mainUrl: string,
    private readonly shadowUrl: string,
  ) {
    super({ connectionString: mainUrl });
  }

  override async connect() {
    const adapter = await super.connect();
    const pool = adapter.underlyingDriver();
    const query = pool.query.bind(pool);
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.executeScript = async (script) => {
      await query(script);
    };
    // The one-letter columns of each result. The adapter passes the array of rows on unchanged, so it can be the key.
    const oneLetterColumns = new WeakMap<object, number[]>();
    // The adapter calls `query` only in this form.
    pool.query = (async (config: QueryArrayConfig) => {
      const result = await query(config);
      const columns: number[] = [];
      for (const [index, field] of result.fields.entries()) {
        if (field.dataTypeID !== types.builtins.CHAR) continue;
        field.dataTypeID = types.builtins.BPCHAR;
        columns.push(index);
      }
      oneLetterColumns.set(result.rows, columns);
      return result;
    }) as typeof pool.query;
    adapter.queryRaw = async (wanted) => {
      const result = await queryRaw(wanted);
      for (const index of oneLetterColumns.get(result.rows) ?? []) {
        result.columnTypes[index] = ColumnTypeEnum.Character;
      }
      return result;
    };
    return adapter;
  }

  override connectToShadowDb() {
    return new MigrationPg(this.shadowUrl, this.shadowUrl).connect();
  }
}

async function withEngine<T>(
  databases: ScratchDatabases,
  use: (engine: engineModule.SchemaEngine) => Promise<T>,
): Promise<T> {
  await loadEngine();
  const factory = bindMigrationAwareSqlAdapterFactory(
    new MigrationPg(databases.mainUrl, databases.shadowUrl),
  );
  const engine = await engineModule.SchemaEngine.new({ datamodels: undefined }, () => undefined, factory);
  try {
    return await use(engine);
  } finally {
    engine.free();
  }
}

function listed(migrations: readonly Migration[]): MigrationList {
  return {
    baseDir: path.join(process.cwd(), 'prisma/migrations'),
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}

/** The SQL that changes a database from the migrations into the one of schema.prisma; empty if they are equal. */
export async function diffToSchema(
  databases: ScratchDatabases,
  migrations: readonly Migration[],
): Promise<string> {
  const schemaPath = path.join(process.cwd(), 'prisma/schema.prisma');
  const schema: SchemasContainer = {
    files: [{ path: schemaPath, content: await readFile(schemaPath, 'utf8') }],
  };
  const result = await withEngine(databases, (engine) =>
    engine.diff({
      from: { tag: 'migrations', ...listed(migrations) },
      to: { tag: 'schemaDatamodel', ...schema },
      script: true,
      exitCode: true,
      filters,
    }),
  );
  return result.exitCode === 0 ? '' : (result.stdout ?? '');
}

/** Prisma's own diagnosis of a database that was migrated without it; null if there is nothing wrong and nothing to apply. */
export async function diagnoseHistory(
  databaseUrl: string,
  migrations: readonly Migration[],
): Promise<DiagnoseMigrationHistoryOutput | null> {
  const diagnosis = await withEngine({ mainUrl: databaseUrl, shadowUrl: databaseUrl }, (engine) =>
    engine.diagnoseMigrationHistory({
      migrationsList: listed(migrations),
      optInToShadowDatabase: false,
      filters,
    }),
  );
  const { hasMigrationsTable, history, editedMigrationNames, failedMigrationNames } = diagnosis;
  const isFine =
    hasMigrationsTable && !history && editedMigrationNames.length === 0 && failedMigrationNames.length === 0;
  return isFine ? null : diagnosis;
}
