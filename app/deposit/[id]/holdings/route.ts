import { methods } from '@/app/_routes/methods';
import { showHoldings } from '../../_page/serve-deposit-page';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ POST: showHoldings });
export const dynamic = 'force-dynamic';
