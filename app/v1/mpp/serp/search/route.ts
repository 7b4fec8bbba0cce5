import { methods } from '@/app/_routes/methods';
import { serp } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { serpSearch } from '@/lib/services/research/serp';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(serp.search, 'mpp', serpSearch),
});
