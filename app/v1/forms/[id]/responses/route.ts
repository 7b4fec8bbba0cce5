import { methods } from '@/app/_routes/methods';
import { freeRoute } from '@/lib/http/free-route';
import { answerResponses } from '@/lib/services/forms/responses-endpoint';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: freeRoute((request, { id }) => answerResponses(request, id)),
});
export const dynamic = 'force-dynamic';
