import { methods } from '@/app/_routes/methods';
import { keepTransfer, showKeeping } from '../../../_page/keep';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: showKeeping,
  POST: keepTransfer,
});
export const dynamic = 'force-dynamic';
