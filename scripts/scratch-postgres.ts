import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres } from '@/local/postgres';

/** Runs a PostgreSQL in a temporary folder for as long as `use` takes; it is given what makes an empty database. */
export async function withScratchPostgres<T>(
  use: (createDatabase: (name: string) => Promise<string>) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-scratch-'));
  // When we are root, PostgreSQL runs as another account, which must be able to pass through.
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
