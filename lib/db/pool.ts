import { Pool } from 'pg';
import { describeError, log } from '@/lib/platform/log';
import { processWide } from '@/lib/platform/process-wide';
import { env } from '@/lib/platform/settings';

/**
 * A statement takes milliseconds. One whose answer does not come by then has lost its connection without a word (a host that
 * is gone, a middlebox that forgot); what became of it is as open as after any lost answer.
 */
const answerWithinMs = 20_000;

/** The connections of this process to its database, shared by everything that asks it. */
export function pool(): Pool {
  return processWide('db-pool', () => {
    const connections = new Pool({
      connectionString: env().DATABASE_URL,
      max: env().DATABASE_POOL,
      query_timeout: answerWithinMs,
      connectionTimeoutMillis: answerWithinMs,
      keepAlive: true,
    });
    // A connection that breaks while nobody uses it is replaced; unheard, its error would end the process.
    connections.on('error', (error) => {
      log().warn({ error: describeError(error) }, 'a database connection broke');
    });
    return connections;
  });
}
