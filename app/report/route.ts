import { methods } from '@/app/_routes/methods';
import { findReported } from './_page/find-reported';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: findReported });
export const dynamic = 'force-dynamic';
