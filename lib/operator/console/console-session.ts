import { createHmac } from 'node:crypto';
import { type ConsoleOperator, consoleOperators, operatorWithToken } from '@/lib/platform/console-operators';
import type { WithDatabase } from '@/lib/platform/database/database';
import { dayMs, hourMs } from '@/lib/platform/durations';
import { randomToken } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import { isSameSecret } from '@/lib/platform/same-secret';

interface SessionDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'settings' | 'clock'> {}

/**
 * Sessions of operators at the console. The browser has a random key in a cookie; the database has the key hashed with the hash
 * of the operator's token. So the server can end a session, a copy of the database is not enough to make one, and an operator
 * who is removed, or gets a new token, has no session.
 */

interface SignedIn {
  readonly operator: ConsoleOperator;
  /** Who acts, in the log of actions. */
  readonly actor: string;
}

/** A session ends when it is not used for this long. */
const idleMaxMs = 30 * 60_000;
/** A session ends this long after the token was entered. */
export const sessionMaxMs = 12 * hourMs;
/** How long the rows of ended sessions are kept. */
const keptMs = 7 * dayMs;

/**
 * Starts a session.
 * @param given what was entered as the token
 * @returns the key for the browser's cookie, and who is signed in; null when it is nobody's token
 */
export async function startSession(
  app: SessionDeps,
  given: string,
): Promise<(SignedIn & { readonly key: string }) | null> {
  const operator = operatorWithToken(app.settings, given);
  if (operator === null) return null;
  const [key, now] = [newSessionKey(), app.clock.date()];
  const id = idOf(operator, key);
  await app.db.operatorSession.deleteMany({ where: { seenAt: { lt: new Date(now.getTime() - keptMs) } } });
  await app.db.operatorSession.create({ data: { id, startedAt: now, seenAt: now } });
  return { key, operator, actor: actorOf(operator, id) };
}

/**
 * Finds a session and notes that it is used.
 * @returns who is signed in, with the role that the settings give them now; null when the session never existed, or has ended
 */
export async function findSession(app: SessionDeps, key: string): Promise<SignedIn | null> {
  const [owners, now] = [ownersOf(app, key), app.clock.date()];
  const [found] = await app.db.operatorSession.updateManyAndReturn({
    where: {
      id: { in: [...owners.keys()] },
      endedAt: null,
      seenAt: { gt: new Date(now.getTime() - idleMaxMs) },
      startedAt: { gt: new Date(now.getTime() - sessionMaxMs) },
    },
    data: { seenAt: now },
    select: { id: true },
  });
  const operator = found && owners.get(found.id);
  return operator ? { operator, actor: actorOf(operator, found.id) } : null;
}

/** Ends a session. Its cookie is invalid afterwards, wherever it was copied to. */
export async function endSession(app: SessionDeps, key: string): Promise<void> {
  await app.db.operatorSession.updateMany({
    where: { id: { in: [...ownersOf(app, key).keys()] }, endedAt: null },
    data: { endedAt: app.clock.date() },
  });
}

export function newSessionKey(): string {
  return randomToken(32);
}

/**
 * The value of the hidden field in every form of a session. Another site cannot know it. It is not made with a token: the
 * sign-in page shows it to everybody, and it would reveal whether a guess of the token is right.
 */
export function formTokenOf(app: Pick<Platform, 'keys'>, key: string): string {
  return hmac(app.keys.derive('console-form')[0], key);
}

/** Whether a form was made for this session, perhaps with an older DATA_KEY. */
export function isOwnForm(app: Pick<Platform, 'keys'>, key: string, formToken: string): boolean {
  return app.keys.derive('console-form').some((secret) => isSameSecret(formToken, hmac(secret, key)));
}

/**
 * An operator with a name is known by it. Those who share OPERATOR_TOKEN are distinguished by their sessions; the start of the
 * id of one gives no access to it.
 */
function actorOf({ name }: ConsoleOperator, id: string): string {
  return `console:${name ?? id.slice(0, 8)}`;
}

/** The id that a session with this key has if it is that of an operator, for every operator of the settings. */
function ownersOf(
  { settings }: Pick<Platform, 'settings'>,
  key: string,
): ReadonlyMap<string, ConsoleOperator> {
  return new Map(consoleOperators(settings).map((operator) => [idOf(operator, key), operator]));
}

/** The id of the session's row. Outside the database, only its first characters are shown. */
function idOf({ name, tokenHash }: ConsoleOperator, key: string): string {
  return hmac(tokenHash, `session\0${name ?? ''}\0${key}`);
}

function hmac(secret: string | Buffer, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}
