import { PrismaPg } from '@prisma/adapter-pg';
import { processWide } from '@/lib/platform/process-wide';
import { PrismaClient } from './generated/client';
import { pool } from './pool';

/** The one database client of this process. */
export function db(): PrismaClient {
  return processWide('db', () => {
    return new PrismaClient({ adapter: new PrismaPg(pool(), { disposeExternalPool: true }) });
  });
}
