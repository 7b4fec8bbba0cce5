import { methods } from '@/app/_routes/methods';
import { paid } from '@/app/_routes/operations';
import { forms } from '@/lib/catalog';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paid('account', forms.create),
});
