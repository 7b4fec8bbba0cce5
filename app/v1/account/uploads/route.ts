import { methods } from '@/app/_routes/methods';
import { free, paid } from '@/app/_routes/operations';
import { account, uploads } from '@/lib/catalog';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: free(account.listUploads),
  POST: paid('account', uploads.create),
});
