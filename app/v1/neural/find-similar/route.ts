import { neural } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { neuralFindSimilar } from '@/lib/research/neural-find-similar';

export const POST = paidRoute(neural.findSimilar, 'x402', neuralFindSimilar);
