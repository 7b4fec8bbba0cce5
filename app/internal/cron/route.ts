import { methods } from '@/app/_routes/methods';
import { cronRoute } from '@/lib/operator/cron-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: cronRoute });
export const dynamic = 'force-dynamic';
