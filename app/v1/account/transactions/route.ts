import { methods } from '@/app/_routes/methods';
import { account } from '@/lib/catalog';
import { listTransactions } from '@/lib/services/accounts/statement';
import { holderRoute } from '../_holder-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: holderRoute(account.transactionsQuery, listTransactions),
});
export const dynamic = 'force-dynamic';
