import { describeAccount } from '@/lib/accounts/statement';
import { account } from '@/lib/catalog';
import { holderRoute } from './_holder-route';

export const GET = holderRoute(account.get.params, describeAccount);
export const dynamic = 'force-dynamic';
