import { methods } from '@/app/_routes/methods';
import { paid } from '@/app/_routes/operations';
import { serp } from '@/lib/catalog';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paid('account', serp.shopping),
});
