import { neural } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { neuralAnswer } from '@/lib/research/neural-answer';

export const POST = paidRoute(neural.answer, 'x402', neuralAnswer);
