import { methods } from '@/app/_routes/methods';
import { refund, showRefund } from '../../../_page/refund';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showRefund, POST: refund });
export const dynamic = 'force-dynamic';
