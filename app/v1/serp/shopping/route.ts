import { methods } from '@/app/_routes/methods';
import { serp } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { serpShopping } from '@/lib/services/research/serp';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(serp.shopping, 'x402', serpShopping),
});
