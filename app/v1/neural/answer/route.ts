import { methods } from '@/app/_routes/methods';
import { neural } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { neuralAnswer } from '@/lib/services/research/neural-answer';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(neural.answer, 'x402', neuralAnswer),
});
