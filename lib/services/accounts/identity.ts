import { createHash } from 'node:crypto';
import { batchedQuery, byteaOf } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import { newId, randomToken } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';

interface IdentityDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'settings'> {}

/**
 * The token of an account is the only permission to spend it. Only its SHA-256 is stored. 256 random bits need no slow
 * hash, and the time of a look-up reveals nothing about the token.
 */

/** 43 base62 characters hold 256 bits. The prefix distinguishes test tokens from tokens that spend real money. */
function newToken({ settings }: Pick<Platform, 'settings'>): string {
  return `${settings.NETWORKS === 'test' ? 'tpt_test_' : 'tpt_'}${randomToken(43)}`;
}

function hashToken(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(token).digest());
}

/** The deposit page of an account. */
export function depositUrl(app: Pick<Platform, 'settings'>, accountId: string): string {
  return `${app.settings.PUBLIC_URL}/deposit/${accountId}`;
}

/** @returns the new account and its token, which is returned only here */
export async function openAccount(
  app: IdentityDeps,
  now: Date,
): Promise<{ accountId: string; token: string }> {
  const accountId = newId('acct');
  const token = newToken(app);
  await app.db.account.create({ data: { id: accountId, tokenHash: hashToken(token), createdAt: now } });
  return { accountId, token };
}

/** Whether the account exists and is not revoked. */
export async function takesDeposits(app: Pick<WithDatabase, 'db'>, accountId: string): Promise<boolean> {
  return (await app.db.account.count({ where: { id: accountId, revokedAt: null } })) === 1;
}

const selectByToken = batchedQuery<object, { id: string; is_next: boolean }>(
  `SELECT n, id, next_token_hash = hash AS is_next
   FROM json_to_recordset($1::json) AS asked(n integer, hash bytea)
   JOIN account ON token_hash = hash OR next_token_hash = hash`,
);

/**
 * The account of a token; null when there is none. A replacement token becomes valid on its first use, which proves
 * that its holder has received it.
 */
export async function findByToken(
  app: Pick<WithDatabase, 'db' | 'batches'>,
  token: string,
): Promise<string | null> {
  const hash = hashToken(token);
  const [found] = await selectByToken(app, { hash: byteaOf(hash) });
  if (!found) return null;
  if (found.is_next) {
    await app.db.account.updateMany({
      where: { id: found.id, nextTokenHash: hash },
      data: { tokenHash: hash, nextTokenHash: null },
    });
  }
  return found.id;
}

/**
 * Issues a token that replaces the current one when it is first used. An earlier unused replacement becomes invalid.
 */
export async function issueNextToken(app: IdentityDeps, accountId: string): Promise<string> {
  const token = newToken(app);
  await app.db.account.updateMany({
    where: { id: accountId, revokedAt: null },
    data: { nextTokenHash: hashToken(token) },
  });
  return token;
}

/** Revokes all tokens of an account for good. */
export async function revokeTokens(
  app: Pick<WithDatabase, 'db'>,
  accountId: string,
  now: Date,
): Promise<void> {
  await app.db.account.updateMany({
    where: { id: accountId },
    data: { tokenHash: null, nextTokenHash: null, revokedAt: now },
  });
}
