import { neural } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { neuralContents } from '@/lib/research/neural-contents';

export const POST = paidRoute(neural.contents, 'mpp', neuralContents);
