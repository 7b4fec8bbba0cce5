import { serp } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { serpShopping } from '@/lib/research/serp';

export const POST = paidRoute(serp.shopping, 'x402', serpShopping);
