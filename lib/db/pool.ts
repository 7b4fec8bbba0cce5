import { Pool } from 'pg';
import { env } from '@/lib/env';
import { describeError, log } from '@/lib/log';
import { processWide } from '@/lib/process-wide';

/** The connections of this process to its database, shared by everything that asks it. */
export function pool(): Pool {
  return processWide('db-pool', () => {
    const connections = new Pool({ connectionString: env().DATABASE_URL, max: env().DATABASE_POOL });
    // A connection that breaks while nobody uses it is replaced; unheard, its error would end the process.
    connections.on('error', (error) => {
      log().warn({ error: describeError(error) }, 'a database connection broke');
    });
    return connections;
  });
}
