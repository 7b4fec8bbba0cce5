import { db } from '@/lib/db/client';
import { randomToken } from '@/lib/ids';
import { describeError, log } from '@/lib/log';
import { processWide } from '@/lib/process-wide';

/** An instance that was silent for this long is taken for dead, and its calls are taken over. */
const aliveForMs = 8_000;
const heartbeatMs = 2_000;

/** The name of this process in the database. */
export function instanceId(): string {
  return processWide('instance-id', () => randomToken(16));
}

async function beat(): Promise<void> {
  const aliveUntil = new Date(Date.now() + aliveForMs);
  await db().$executeRaw`
    INSERT INTO instance (id, alive_until) VALUES (${instanceId()}, ${aliveUntil})
    ON CONFLICT (id) DO UPDATE SET alive_until = EXCLUDED.alive_until`;
}

/**
 * Keeps this process known as alive, so that nobody takes over what it is working on.
 * @returns a function that ends the heartbeat and lets others take over at once
 */
export async function startHeartbeat(): Promise<() => Promise<void>> {
  await beat();
  await db().$executeRaw`DELETE FROM instance WHERE alive_until < now() - interval '1 day'`;
  const timer = setInterval(() => {
    beat().catch((error: unknown) => log().error({ error: describeError(error) }, 'a heartbeat was missed'));
  }, heartbeatMs);
  return async () => {
    clearInterval(timer);
    await db().$executeRaw`DELETE FROM instance WHERE id = ${instanceId()}`;
  };
}
