import { methods } from '@/app/_routes/methods';
import { free } from '@/app/_routes/operations';
import { wallet } from '@/lib/catalog';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: free(wallet.listUploads),
});
export const dynamic = 'force-dynamic';
