import { methods } from '@/app/_routes/methods';
import { payments } from '@/lib/app/payments';
import { operations } from '@/lib/catalog';
import { pricesDocument } from '@/lib/discovery/prices';
import { freeRoute } from '@/lib/http/free-route';
import { isAvailable } from '@/lib/upstream/availability';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: freeRoute(async () => ({
    body: pricesDocument(
      operations.filter(isAvailable),
      payments()
        .desk.offered()
        .map(({ network }) => network),
    ),
  })),
});
export const dynamic = 'force-dynamic';
