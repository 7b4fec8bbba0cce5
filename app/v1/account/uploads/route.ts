import { methods } from '@/app/_routes/methods';
import { account, uploads } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { createUpload } from '@/lib/services/uploads/create';
import { listUploads } from '@/lib/services/uploads/list';
import { holderRoute } from '../_holder-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: holderRoute(account.uploadsQuery, listUploads),
  POST: paidRoute(uploads.create, 'account', createUpload),
});
