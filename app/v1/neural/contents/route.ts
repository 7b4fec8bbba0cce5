import { methods } from '@/app/_routes/methods';
import { neural } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { neuralContents } from '@/lib/services/research/neural-contents';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(neural.contents, 'x402', neuralContents),
});
