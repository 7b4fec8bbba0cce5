import { methods } from '@/app/_routes/methods';
import { showSystem } from '../_page/system';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showSystem });
export const dynamic = 'force-dynamic';
