import { paidCallStatusRoute } from '@/lib/http/paid-call-status';

export const GET = paidCallStatusRoute;
export const dynamic = 'force-dynamic';
