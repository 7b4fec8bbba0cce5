import { methods } from '@/app/_routes/methods';
import { makeTransaction } from '@/app/_site/reference/try/transaction';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ POST: makeTransaction });
export const dynamic = 'force-dynamic';
