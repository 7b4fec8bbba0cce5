import { methods } from '@/app/_routes/methods';
import { saveCalls } from '../../_page/calls-csv';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: saveCalls });
export const dynamic = 'force-dynamic';
