import { cronRoute } from '@/lib/operator/cron-route';

export const GET = cronRoute;
export const dynamic = 'force-dynamic';
