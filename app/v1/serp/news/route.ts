import { serp } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { serpNews } from '@/lib/research/serp';

export const POST = paidRoute(serp.news, 'x402', serpNews);
