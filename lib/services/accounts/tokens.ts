import type { z } from 'zod';
import type { revokeToken, rotateToken } from '@/lib/catalog/account';
import { balanceOf } from '@/lib/ledger/account-book';
import { toPrice } from '@/lib/payments/money';
import type { ServiceApp } from '@/lib/services/service';
import { issueNextToken, revokeTokens } from './identity';

/** `POST /v1/account/token` */
export async function replaceToken(
  app: ServiceApp,
  accountId: string,
): Promise<z.output<typeof rotateToken.output>> {
  return { accountId, token: await issueNextToken(app, accountId) };
}

/** `DELETE /v1/account/token` */
export async function revokeAccount(
  app: ServiceApp,
  accountId: string,
  _: unknown,
  now: Date,
): Promise<z.output<typeof revokeToken.output>> {
  await revokeTokens(app, accountId, now);
  return { accountId, revokedAt: now.toISOString(), balance: toPrice(await balanceOf(app, accountId)) };
}
