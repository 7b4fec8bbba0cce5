import { account } from '@/lib/catalog';
import { removeForOwner } from '@/lib/uploads/remove';
import { holderRoute } from '../../_holder-route';

export const DELETE = holderRoute(account.deleteUpload.params, removeForOwner);
