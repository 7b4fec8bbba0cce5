import { methods } from '@/app/_routes/methods';
import { bookTransfers, showTransfers } from '../_page/transfers';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: showTransfers,
  POST: bookTransfers,
});
export const dynamic = 'force-dynamic';
