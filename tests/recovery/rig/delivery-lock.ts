import { type DatabaseLock, lockTable } from '../../support/database-lock';
import { untilState } from './found';
import type { Rig } from './rig';

/**
 * A lock that stops a payer's call once it is paid, before its upload is stored. Others may come to it as well, such as a call of an
 * earlier test that is delivered late, so it counts as reached when this call is paid too.
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
