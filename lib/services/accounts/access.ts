import { ApiError } from '@/lib/catalog/errors/api-error';
import type { Holder } from '@/lib/payments/account/account-rail';
import { bearerTokenOf } from '@/lib/platform/bearer-token';
import type { WithDatabase } from '@/lib/platform/database/database';
import { findByToken } from './identity';

/** The account of the token in `Authorization: Bearer` (RFC 6750), or why there is none. */
export async function recognizeHolder(
  app: Pick<WithDatabase, 'db' | 'batches'>,
  headers: Pick<Headers, 'get'>,
): Promise<Holder> {
  const token = bearerTokenOf({ headers });
  if (token === null) return { code: 'account_token_required' };
  const accountId = await findByToken(app, token);
  return accountId === null ? { code: 'account_token_wrong' } : { accountId };
}

/**
 * The account of a request.
 * @throws ApiError account_token_required or account_token_wrong (401)
 */
export async function accountOf(
  app: Pick<WithDatabase, 'db' | 'batches'>,
  { headers }: { headers: Pick<Headers, 'get'> },
): Promise<string> {
  const holder = await recognizeHolder(app, headers);
  if ('code' in holder) throw new ApiError(holder.code);
  return holder.accountId;
}
