import { methods } from '@/app/_routes/methods';
import { paid } from '@/app/_routes/operations';
import { neural } from '@/lib/catalog';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paid('account', neural.answer),
});
