import { methods } from '@/app/_routes/methods';
import { describeAccount } from '@/lib/accounts/statement';
import { account } from '@/lib/catalog';
import { holderRoute } from './_holder-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: holderRoute(account.get.params, describeAccount),
});
export const dynamic = 'force-dynamic';
