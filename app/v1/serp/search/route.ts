import { serp } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { serpSearch } from '@/lib/research/serp';

export const POST = paidRoute(serp.search, 'x402', serpSearch);
