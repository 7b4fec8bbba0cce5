import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres } from '@/local/postgres';

/** Runs a PostgreSQL server in a temporary folder while `use` runs. `use` gets a function that creates an empty database. */
export async function withScratchPostgres<T>(
  use: (createDatabase: (name: string) => Promise<string>) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-scratch-'));
  // If this process is root, PostgreSQL runs as another account, which must be able to enter the folder.
  await chmod(folder, 0o711);
  try {
    const postgres = await startPostgres({ dir: path.join(folder, 'data') });
    try {
      return await use(postgres.createDatabase);
    } finally {
      await postgres.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
