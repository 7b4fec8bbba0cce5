import { methods } from '@/app/_routes/methods';
import { other } from '@/app/_routes/operations';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: other('key_set') });
export const dynamic = 'force-dynamic';
