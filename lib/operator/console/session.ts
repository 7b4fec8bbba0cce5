import { createHmac } from 'node:crypto';
import type { WithDatabase } from '@/lib/db/database';
import { randomToken } from '@/lib/platform/ids';
import { isSameSecret } from '@/lib/platform/same-secret';

/**
 * Sessions of operators at the console. The browser has a random key in a cookie; the database has the key hashed with
 * OPERATOR_TOKEN. So the server can end a session, a copy of the database is not enough to make one, and a new token ends them
 * all.
 */

/** A session ends when it is not used for this long. */
const idleMaxMs = 30 * 60_000;
/** A session ends this long after the token was entered. */
export const sessionMaxMs = 12 * 3_600_000;
/** How long the rows of ended sessions are kept. */
const keptMs = 7 * 86_400_000;

/**
 * Starts a session.
 * @param given what was entered as the token
 * @returns the key for the browser's cookie, and the session's name in the log of actions; null when the token is wrong
 */
export async function startSession(
  app: WithDatabase,
  given: string,
): Promise<{ key: string; name: string } | null> {
  if (!isSameSecret(given, tokenOf(app))) return null;
  const [key, now] = [newSessionKey(), app.clock.date()];
  const id = idOf(app, key);
  await app.db.operatorSession.deleteMany({ where: { seenAt: { lt: new Date(now.getTime() - keptMs) } } });
  await app.db.operatorSession.create({ data: { id, startedAt: now, seenAt: now } });
  return { key, name: nameOf(id) };
}

/**
 * Finds a session and notes that it is used.
 * @returns its name in the log of actions; null when it never existed, or has ended
 */
export async function findSession(app: WithDatabase, key: string): Promise<string | null> {
  const [id, now] = [idOf(app, key), app.clock.date()];
  const found = await app.db.operatorSession.updateMany({
    where: {
      id,
      endedAt: null,
      seenAt: { gt: new Date(now.getTime() - idleMaxMs) },
      startedAt: { gt: new Date(now.getTime() - sessionMaxMs) },
    },
    data: { seenAt: now },
  });
  return found.count === 1 ? nameOf(id) : null;
}

/** Ends a session. Its cookie is invalid afterwards, wherever it was copied to. */
export async function endSession(app: WithDatabase, key: string): Promise<void> {
  await app.db.operatorSession.updateMany({
    where: { id: idOf(app, key), endedAt: null },
    data: { endedAt: app.clock.date() },
  });
}

export function newSessionKey(): string {
  return randomToken(32);
}

/**
 * The value of the hidden field in every form of a session. Another site cannot know it. It is not made with OPERATOR_TOKEN:
 * the sign-in page shows it to everybody, and it would reveal whether a guess of the token is right.
 */
export function formTokenOf(app: WithDatabase, key: string): string {
  return hmac(app.keys.derive('console-form')[0], key);
}

/** Whether a form was made for this session, perhaps with an older DATA_KEY. */
export function isOwnForm(app: WithDatabase, key: string, formToken: string): boolean {
  return app.keys.derive('console-form').some((secret) => isSameSecret(formToken, hmac(secret, key)));
}

/** Distinguishes sessions, but gives no access to one. */
function nameOf(id: string): string {
  return `console:${id.slice(0, 8)}`;
}

/** The id of the session's row. Outside the database, only its first characters are shown. */
function idOf(app: WithDatabase, key: string): string {
  return hmac(tokenOf(app), `session\0${key}`);
}

function hmac(secret: string | Buffer, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** Without a token there is no console, and nothing of it is called. */
function tokenOf({ settings }: WithDatabase): string {
  if (settings.OPERATOR_TOKEN === undefined) throw new Error('OPERATOR_TOKEN is not set');
  return settings.OPERATOR_TOKEN;
}
