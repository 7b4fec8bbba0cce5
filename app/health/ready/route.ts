import { methods } from '@/app/_routes/methods';
import { readinessRoute } from '@/lib/http/readiness';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: readinessRoute });
export const dynamic = 'force-dynamic';
