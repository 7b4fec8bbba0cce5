import { methods } from '@/app/_routes/methods';
import { showWorklist } from '../_page/worklist';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showWorklist });
export const dynamic = 'force-dynamic';
