import { freeRoute } from '@/lib/http/free-route';

export const GET = freeRoute(async () => ({ body: { status: 'ok' } }));
export const dynamic = 'force-dynamic';
