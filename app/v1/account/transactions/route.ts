import { listTransactions } from '@/lib/accounts/statement';
import { account } from '@/lib/catalog';
import { holderRoute } from '../_holder-route';

export const GET = holderRoute(account.transactionsQuery, listTransactions);
export const dynamic = 'force-dynamic';
