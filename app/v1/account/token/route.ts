import { methods } from '@/app/_routes/methods';
import { account } from '@/lib/catalog';
import { replaceToken, revokeAccount } from '@/lib/services/accounts/tokens';
import { holderRoute } from '../_holder-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  DELETE: holderRoute(account.revokeToken.params, revokeAccount),
  POST: holderRoute(account.rotateToken.params, replaceToken),
});
