import { operations } from '@/lib/catalog';
import { pricesDocument } from '@/lib/discovery/prices';
import { freeRoute } from '@/lib/http/free-route';
import { payments } from '@/lib/runtime/payments';

export const GET = freeRoute(async () => ({
  body: pricesDocument(
    operations,
    payments()
      .desk.offered()
      .map(({ network }) => network),
  ),
}));
export const dynamic = 'force-dynamic';
