import { db } from '@/lib/db/client';
import { randomToken } from '@/lib/platform/ids';
import { describeError, log } from '@/lib/platform/log';
import { processWide } from '@/lib/platform/process-wide';

/** An instance that was silent for this long is taken for dead, and its calls are taken over. */
const aliveForMs = 8_000;
const heartbeatMs = 2_000;

/** The name of this process in the database. */
export function instanceId(): string {
  return processWide('instance-id', () => randomToken(16));
}

/** What the last heartbeat saw. */
function seen(): { peers: number } {
  return processWide('instances-seen', () => ({ peers: 0 }));
}

/** Whether other processes of the service were alive at the last heartbeat. */
export function hasPeers(): boolean {
  return seen().peers > 0;
}

/** By the database's clock, which is the same for all: a process whose own is wrong is as alive as any other. */
async function beat(settles: readonly string[]): Promise<void> {
  const [row] = await db().$queryRaw<{ peers: number }[]>`
    WITH beaten AS (
      INSERT INTO instance (id, alive_until, settles) VALUES (${instanceId()}, now() + ${aliveForMs} * interval '1 millisecond', ${settles})
      ON CONFLICT (id) DO UPDATE SET alive_until = EXCLUDED.alive_until
    )
    SELECT count(*)::int AS peers FROM instance WHERE alive_until > now() AND id <> ${instanceId()}`;
  seen().peers = row?.peers ?? 0;
}

function keepBeating(settles: readonly string[]): NodeJS.Timeout {
  return setInterval(() => {
    beat(settles).catch((error: unknown) =>
      log().error({ error: describeError(error) }, 'a heartbeat was missed'),
    );
  }, heartbeatMs);
}

async function forgetLongDead(): Promise<void> {
  await db().$executeRaw`DELETE FROM instance WHERE alive_until < now() - interval '1 day'`;
}

/**
 * Keeps this process known as alive, so that nobody takes over what it is working on.
 * @param settles the networks for which it has a settlement key
 * @returns a function that ends the heartbeat and lets others take over at once
 */
export async function startHeartbeat(settles: readonly string[]): Promise<() => Promise<void>> {
  await beat(settles);
  await forgetLongDead();
  const timer = keepBeating(settles);
  return async () => {
    clearInterval(timer);
    await db().$executeRaw`DELETE FROM instance WHERE id = ${instanceId()}`;
  };
}

/** Keeps this process known as alive while it works, for hosts that run nothing between two requests. */
export async function whileAlive<T>(work: () => Promise<T>): Promise<T> {
  await beat([]);
  await forgetLongDead();
  const timer = keepBeating([]);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
