import { type DatabaseLock, lockTable } from '../../support/database-lock';
import { untilState } from './found';
import type { Rig } from './rig';

/**
 * A lock that stops a payer's call after payment, before its upload is stored. Other calls may be blocked by it too, such as one of
 * an earlier test that is delivered late, so it counts as reached only once this call is paid.
 */
export async function lockDelivery(
  rig: Pick<Rig, 'databaseUrl' | 'query'>,
  payer: string,
): Promise<DatabaseLock> {
  const lock = await lockTable(rig.databaseUrl, 'upload', 'INSERT INTO');
  return {
    ...lock,
    async reached(timeoutMs) {
      await untilState(rig, payer, 'settled');
      await lock.reached(timeoutMs);
    },
  };
}
