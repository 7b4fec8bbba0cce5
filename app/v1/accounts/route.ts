import { methods } from '@/app/_routes/methods';
import { clientAddressOf } from '@/lib/http/client-address';
import { freeRoute } from '@/lib/http/free-route';
import { openAccountFor } from '@/lib/services/accounts/open';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: freeRoute(async (request) => ({
    body: await openAccountFor(clientAddressOf(request), new Date()),
  })),
});
