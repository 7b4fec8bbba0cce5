import { methods } from '@/app/_routes/methods';
import { neural } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { neuralFindSimilar } from '@/lib/services/research/neural-find-similar';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(neural.findSimilar, 'mpp', neuralFindSimilar),
});
