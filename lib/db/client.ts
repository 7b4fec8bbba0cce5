import { PrismaPg } from '@prisma/adapter-pg';
import { env } from '@/lib/env';
import { processWide } from '@/lib/process-wide';
import { PrismaClient } from './generated/client';

/** The one database client of this process. */
export function db(): PrismaClient {
  return processWide('db', () => {
    const adapter = new PrismaPg({ connectionString: env().DATABASE_URL, max: env().DATABASE_POOL });
    return new PrismaClient({ adapter });
  });
}
