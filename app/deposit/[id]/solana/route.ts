import { methods } from '@/app/_routes/methods';
import { makeTransaction } from '../../_page/serve-deposit-page';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ POST: makeTransaction });
export const dynamic = 'force-dynamic';
