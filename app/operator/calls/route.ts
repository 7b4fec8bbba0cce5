import { methods } from '@/app/_routes/methods';
import { showCalls } from '../_page/calls';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showCalls });
export const dynamic = 'force-dynamic';
