import type { z } from 'zod';
import { readAddress } from '@/lib/http/body';
import { freeRoute } from '@/lib/http/free-route';
import { accountOf } from '@/lib/services/accounts/access';

/**
 * A free route for the holder of an account.
 * @param schema what the address says: query and path
 */
export function holderRoute<Schema extends z.ZodObject>(
  schema: Schema,
  work: (accountId: string, input: z.output<Schema>, now: Date) => Promise<unknown>,
) {
  return freeRoute(async (request, params) => {
    const accountId = await accountOf(request);
    return { body: await work(accountId, readAddress(schema, request, params), new Date()) };
  });
}
