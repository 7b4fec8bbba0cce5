import { methods } from '@/app/_routes/methods';
import { showLog } from '../_page/log';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showLog });
export const dynamic = 'force-dynamic';
