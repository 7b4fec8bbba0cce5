import { methods } from '@/app/_routes/methods';
import { other } from '@/app/_routes/operations';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: other('channel_refund') });
export const dynamic = 'force-dynamic';
