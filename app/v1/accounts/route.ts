import { methods } from '@/app/_routes/methods';
import { openAccountFor } from '@/lib/accounts/open';
import { clientAddressHeader } from '@/lib/http/client-address-header';
import { freeRoute } from '@/lib/http/free-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: freeRoute(async ({ headers }) => ({
    body: await openAccountFor(headers.get(clientAddressHeader) ?? '', new Date()),
  })),
});
