import { openAccountFor } from '@/lib/accounts/open';
import { clientAddressHeader } from '@/lib/http/client-address-header';
import { freeRoute } from '@/lib/http/free-route';

export const POST = freeRoute(async ({ headers }) => ({
  body: await openAccountFor(headers.get(clientAddressHeader) ?? '', new Date()),
}));
