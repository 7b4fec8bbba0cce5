import { methods } from '@/app/_routes/methods';
import { answerResponses } from '@/lib/forms/responses-endpoint';
import { freeRoute } from '@/lib/http/free-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: freeRoute((request, { id }) => answerResponses(request, id)),
});
export const dynamic = 'force-dynamic';
