import { methods } from '@/app/_routes/methods';
import { account } from '@/lib/catalog';
import { describeAccount } from '@/lib/services/accounts/statement';
import { holderRoute } from './_holder-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: holderRoute(account.get.params, describeAccount),
});
export const dynamic = 'force-dynamic';
