import { methods } from '@/app/_routes/methods';
import { servePage } from '@/app/_site/pages';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: servePage });
export const dynamic = 'force-dynamic';
