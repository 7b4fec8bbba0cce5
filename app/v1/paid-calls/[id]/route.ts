import { methods } from '@/app/_routes/methods';
import { paidCallStatusRoute } from '@/lib/http/paid-call-status';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: paidCallStatusRoute });
export const dynamic = 'force-dynamic';
