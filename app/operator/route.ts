import { methods } from '@/app/_routes/methods';
import { showOverview } from './_page/overview';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showOverview });
export const dynamic = 'force-dynamic';
