import { answerResponses } from '@/lib/forms/responses-endpoint';
import { freeRoute } from '@/lib/http/free-route';

export const GET = freeRoute((request, { id }) => answerResponses(request, id));
export const dynamic = 'force-dynamic';
