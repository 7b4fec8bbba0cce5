import { methods } from '@/app/_routes/methods';
import { declineRequest, showRequest } from '../../../_page/decline';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: showRequest,
  POST: declineRequest,
});
export const dynamic = 'force-dynamic';
