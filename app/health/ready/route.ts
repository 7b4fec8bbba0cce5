import { readinessRoute } from '@/lib/http/readiness';

export const GET = readinessRoute;
export const dynamic = 'force-dynamic';
