import type { z } from 'zod';
import { accountLimits, type create, type revokeToken, type rotateToken } from '@/lib/catalog/account';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { balanceOf } from '@/lib/ledger/account-book';
import { toPrice } from '@/lib/payments/money';
import { countAttempt, hashAddress } from '@/lib/platform/database/attempts';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { depositUrl, issueNextToken, openAccount, revokeTokens } from './identity';

interface OpenDeps extends Pick<WithDatabase, 'db' | 'addressSalts'>, Pick<Platform, 'settings'> {}

const allowance = {
  attempts: accountLimits.accountsPerAddress,
  minutes: accountLimits.accountsPerAddressMinutes,
};

/**
 * `POST /v1/accounts`: opens an empty account for anyone, with a rate limit.
 * @throws ApiError rate_limited (429)
 */
export async function openAccountFor(
  app: OpenDeps,
  address: string,
  now: Date,
): Promise<z.output<typeof create.output>> {
  const subject = `accounts of ${await hashAddress(app, address, now)}`;
  const retryAfterSeconds = await countAttempt(app, [[subject, allowance]], now);
  if (retryAfterSeconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds });
  const { accountId, token } = await openAccount(app, now);
  return { accountId, token, depositUrl: depositUrl(app, accountId) };
}

/** `POST /v1/account/token` */
export async function replaceToken(
  app: OpenDeps,
  accountId: string,
): Promise<z.output<typeof rotateToken.output>> {
  return { accountId, token: await issueNextToken(app, accountId) };
}

/** `DELETE /v1/account/token` */
export async function revokeAccount(
  app: WithDatabase,
  accountId: string,
  _: unknown,
  now: Date,
): Promise<z.output<typeof revokeToken.output>> {
  await revokeTokens(app, accountId, now);
  return { accountId, revokedAt: now.toISOString(), balance: toPrice(await balanceOf(app, accountId)) };
}
