import { methods } from '@/app/_routes/methods';
import { account } from '@/lib/catalog';
import { removeForOwner } from '@/lib/services/uploads/remove';
import { holderRoute } from '../../_holder-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  DELETE: holderRoute(account.deleteUpload.params, removeForOwner),
});
