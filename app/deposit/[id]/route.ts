import { methods } from '@/app/_routes/methods';
import { showDeposit } from '../_page/serve-deposit-page';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showDeposit });
export const dynamic = 'force-dynamic';
