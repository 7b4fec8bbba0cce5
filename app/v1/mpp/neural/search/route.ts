import { methods } from '@/app/_routes/methods';
import { neural } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { neuralSearch } from '@/lib/services/research/neural-search';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(neural.search, 'mpp', neuralSearch),
});
