import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Migration, readMigrations } from '@/lib/platform/database/migrate';
import { diffToSchema } from './schema-engine';
import { withScratchPostgres } from './scratch-postgres';

/**
 * `npm run migration:new -- name` writes the migration that brings the database up to date with schema.prisma.
 * `npm run migration:new -- --again` generates the newest migration again, which is safe until somebody else applies it. SQL
 * below the marker, which is written by hand, stays.
 */

const folder = path.join(process.cwd(), 'prisma/migrations');
const marker = '-- By hand from here on: what schema.prisma cannot say.';
const lockFile =
  '# Prisma reads this file to learn which database the migrations are for.\nprovider = "postgresql"\n';

function diffAfter(migrations: readonly Migration[]): Promise<string> {
  return withScratchPostgres(async (createDatabase) =>
    diffToSchema(
      { mainUrl: await createDatabase('main'), shadowUrl: await createDatabase('shadow') },
      migrations,
    ),
  );
}

function timestampedName(words: string): string {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(words)) {
    throw new Error(`The name must be in lower case with underscores, words_like_these, not ${words}.`);
  }
  return `${new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)}_${words}`;
}

async function main(argument: string | undefined): Promise<void> {
  if (!argument) throw new Error('Usage: npm run migration:new -- words_like_these | --again');
  const existing = await readMigrations(folder);
  const replaced = argument === '--again' ? existing.at(-1) : undefined;
  if (argument === '--again' && !replaced) throw new Error('There is no migration to generate again.');
  if (replaced && !replaced.sql.includes(marker)) {
    throw new Error(`${replaced.name} is written by hand and would be lost. Make a new migration.`);
  }
  const earlier = existing.filter((migration) => migration !== replaced);
  const name = replaced?.name ?? timestampedName(argument);

  const generated = (await diffAfter(earlier)).trim();
  const byHand = replaced?.sql.slice(replaced.sql.indexOf(marker)) ?? `${marker}\n`;
  const file = path.join(folder, name, 'migration.sql');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${generated}${generated ? '\n\n' : ''}${byHand}`);
  await writeFile(path.join(folder, 'migration_lock.toml'), lockFile);
  process.stdout.write(
    `${generated ? 'Wrote' : 'schema.prisma has no changes. Wrote an empty'} ${path.relative('.', file)}\n`,
  );
}

await main(process.argv[2]);
