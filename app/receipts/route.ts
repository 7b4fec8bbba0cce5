import { methods } from '@/app/_routes/methods';
import { checkReceipt, showForm } from './_page/serve-receipt-page';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: showForm,
  POST: checkReceipt,
});
export const dynamic = 'force-dynamic';
