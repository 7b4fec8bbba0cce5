import { ApiError } from '@/lib/errors/api-error';
import type { HttpApp } from './app';

/** `GET /health/ready`: whether this instance can take paid calls now, and on which networks. */
export async function readiness({ payments: { networks }, db, storeHealth }: HttpApp) {
  await db.$queryRaw`SELECT 1`.catch((cause: unknown) => {
    throw new ApiError('service_unavailable', { message: 'The database does not respond.', cause });
  });
  if (networks.offered().length === 0) {
    throw new ApiError('service_unavailable', { message: 'No network is available.' });
  }
  if (!storeHealth.isUsable) {
    throw new ApiError('service_unavailable', { message: 'The file store is not available.' });
  }
  const offered = networks.all().map(({ network }) => [network.name, networks.isOffered(network.name)]);
  return { body: { status: 'ready', networks: Object.fromEntries(offered) } };
}
