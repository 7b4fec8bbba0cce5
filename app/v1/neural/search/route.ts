import { neural } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { neuralSearch } from '@/lib/research/neural-search';

export const POST = paidRoute(neural.search, 'x402', neuralSearch);
