import { methods } from '@/app/_routes/methods';
import { openAccountFor } from '@/lib/accounts/open';
import { clientAddressOf } from '@/lib/http/client-address';
import { freeRoute } from '@/lib/http/free-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: freeRoute(async (request) => ({
    body: await openAccountFor(clientAddressOf(request), new Date()),
  })),
});
