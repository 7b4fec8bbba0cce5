import { methods } from '@/app/_routes/methods';
import { replaceToken, revokeAccount } from '@/lib/accounts/tokens';
import { account } from '@/lib/catalog';
import { holderRoute } from '../_holder-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  DELETE: holderRoute(account.revokeToken.params, revokeAccount),
  POST: holderRoute(account.rotateToken.params, replaceToken),
});
