import { z } from 'zod';
import type { NetworkName } from '@/lib/payments/network-offers';
import { noSettlementWork, type SettlementWork } from '@/lib/payments/settlers';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Platform } from '@/lib/platform/platform';
import type { Settings } from '@/lib/platform/settings';
import { isRefusalToClose } from './finality-record';
import { pausedOperations, pausedSchema } from './paused-operations';
import { isRefundToCheck } from './refund-records';
import { listed, openSettlementStates, openStates } from './states';
import { isAbandoned } from './unfinished-calls';

const settlementWork = z.object({
  hasQueued: z.boolean(),
  hasOpen: z.boolean(),
  hasLeftBehind: z.boolean(),
  leased: z.array(z.string()),
}) satisfies z.ZodType<SettlementWork>;

const rowSchema = z.object({
  databaseMs: z.number(),
  /** How many other instances are alive. */
  peers: z.number(),
  /** The jobs whose next tick is due. */
  dueJobs: z.array(z.string()),
  /** Whether any paid call is unfinished. */
  hasOpenCalls: z.boolean(),
  /** Whether an unfinished call is due and no live instance works on it. */
  hasAbandonedCalls: z.boolean(),
  /** Whether this instance holds an unfinished call. */
  holdsCalls: z.boolean(),
  /** Whether a reorganization may still take a settlement away. */
  hasSettlementsNotFinal: z.boolean(),
  hasRefusalsToClose: z.boolean(),
  /** Whether the chain should be asked about an open refund. */
  hasRefundsToCheck: z.boolean(),
  pausedOperations: pausedSchema,
  networks: z.record(z.string(), settlementWork),
});

/** The work that the database has for an instance. */
export interface DueWork
  extends Omit<z.output<typeof rowSchema>, 'databaseMs' | 'networks' | 'hasOpenCalls'> {
  /** Whether a call or a settlement is unfinished, so that more will be due soon. */
  readonly isUnfinished: boolean;
  on(network: NetworkName): SettlementWork;
}

/**
 * Renews the heartbeat of this instance and looks for due work, in one statement, so that an idle process runs no other. Every
 * condition stops at the first row that it finds in an index, however many calls there have been.
 */
export async function beatAndFindWork(
  app: WithDatabase & Pick<Platform, 'timings'> & { readonly settings: Pick<Settings, 'WORKLIST_LIMIT'> },
  networks: readonly NetworkName[],
  now: Date,
): Promise<DueWork> {
  const { instance, timings } = app;
  const leftBehind = new Date(now.getTime() - timings.evm.leftBehindMs);
  const isOpen = Prisma.sql`state IN ${Prisma.raw(listed(openStates))}`;
  const isOpenOnChain = Prisma.sql`network = name AND state IN ${Prisma.raw(listed(openSettlementStates))}`;
  const ask = () => app.db.$queryRaw<unknown[]>`
    WITH beaten AS (${instance.heartbeat})
    SELECT ${instance.time} AS "databaseMs", ${instance.peers} AS peers,
      ARRAY(SELECT job FROM turn WHERE due_at <= now()) AS "dueJobs",
      EXISTS (SELECT FROM paid_call WHERE ${isOpen}) AS "hasOpenCalls",
      EXISTS (SELECT FROM paid_call WHERE ${isAbandoned(now)}) AS "hasAbandonedCalls",
      EXISTS (SELECT FROM paid_call WHERE ${isOpen} AND worked_by = ${instance.id}) AS "holdsCalls",
      EXISTS (SELECT FROM settlement_transaction WHERE state = 'confirmed' AND final_at IS NULL)
        AS "hasSettlementsNotFinal",
      EXISTS (SELECT FROM paid_call WHERE ${isRefusalToClose(now)}) AS "hasRefusalsToClose",
      EXISTS (SELECT FROM refund WHERE ${isRefundToCheck(now)}) AS "hasRefundsToCheck",
      ${pausedOperations(app.settings)} AS "pausedOperations",
      (SELECT COALESCE(jsonb_object_agg(name, jsonb_build_object(
          'hasQueued', EXISTS (SELECT FROM paid_call WHERE network = name AND queued_for_signer_at IS NOT NULL),
          'hasOpen', EXISTS (SELECT FROM settlement_transaction WHERE ${isOpenOnChain}),
          'hasLeftBehind', EXISTS (SELECT FROM settlement_transaction
            WHERE ${isOpenOnChain} AND created_at < ${leftBehind}),
          'leased', ARRAY(SELECT signer FROM settlement_signer WHERE network = name AND holder = ${instance.id})
        )), '{}') FROM unnest(${networks}::text[]) AS offered (name)) AS networks`;
  const reading = instance.syncClock(async () => rowSchema.parse((await ask())[0]));
  const { databaseMs: _, networks: byNetwork, hasOpenCalls, ...row } = await reading;
  const hasOpenSettlements = Object.values(byNetwork).some(({ hasOpen }) => hasOpen);
  return {
    ...row,
    isUnfinished: hasOpenCalls || hasOpenSettlements,
    on: (network) => byNetwork[network] ?? noSettlementWork,
  };
}
