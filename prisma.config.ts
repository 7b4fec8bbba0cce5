import { defineConfig } from 'prisma/config';

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // Made by hand in a migration; the database's own copy of the legal moves of a paid call.
  experimental: { externalTables: true },
  tables: { external: ['public.legal_move', 'public.legal_refund_move', 'public.legal_settlement_move'] },
});
