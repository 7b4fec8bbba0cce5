import { methods } from '@/app/_routes/methods';
import { freeRoute } from '@/lib/http/free-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: freeRoute(async () => ({ body: { status: 'ok' } })),
});
export const dynamic = 'force-dynamic';
