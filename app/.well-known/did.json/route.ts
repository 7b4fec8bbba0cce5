import { methods } from '@/app/_routes/methods';
import { other } from '@/app/_routes/operations';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: other('did_document') });
export const dynamic = 'force-dynamic';
