import { replaceToken, revokeAccount } from '@/lib/accounts/tokens';
import { account } from '@/lib/catalog';
import { holderRoute } from '../_holder-route';

export const POST = holderRoute(account.rotateToken.params, replaceToken);
export const DELETE = holderRoute(account.revokeToken.params, revokeAccount);
