import { serp } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { serpImages } from '@/lib/research/serp';

export const POST = paidRoute(serp.images, 'mpp', serpImages);
