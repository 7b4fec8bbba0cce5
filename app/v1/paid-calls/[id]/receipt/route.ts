import { methods } from '@/app/_routes/methods';
import { free } from '@/app/_routes/operations';
import { free as catalogFree } from '@/lib/catalog';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: free(catalogFree.receipt) });
export const dynamic = 'force-dynamic';
