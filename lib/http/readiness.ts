import { payments } from '@/lib/app/payments';
import { db } from '@/lib/db/client';
import { ApiError } from '@/lib/errors/api-error';
import { isStoreUsable } from '@/lib/storage/health';
import { freeRoute } from './free-route';

/** `GET /health/ready`: whether this instance can take paid calls now, and on which networks. */
export const readinessRoute = freeRoute(async () => {
  const { desk } = payments();
  await db().$queryRaw`SELECT 1`.catch((cause: unknown) => {
    throw new ApiError('service_unavailable', { message: 'The database does not answer.', cause });
  });
  if (desk.offered().length === 0) {
    throw new ApiError('service_unavailable', { message: 'No network can be offered.' });
  }
  if (!isStoreUsable()) {
    throw new ApiError('service_unavailable', { message: 'The file store cannot be used.' });
  }
  const networks = desk.all().map(({ network }) => [network.name, desk.isOffered(network.name)]);
  return { body: { status: 'ready', networks: Object.fromEntries(networks) } };
});
