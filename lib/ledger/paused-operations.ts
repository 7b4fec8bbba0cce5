import { z } from 'zod';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Platform } from '@/lib/platform/platform';
import type { Settings } from '@/lib/platform/settings';
import { openRefundStates } from './refund-states';
import { transferBooked } from './transfers-without-call';

/** An operation that is not offered for now, and how many of its paid calls wait for the operator. */
export interface PausedOperation {
  readonly operation: string;
  readonly calls: number;
}

/** The result of the query: the paused operations, with the number of their calls. */
export const pausedSchema = z.record(z.string(), z.number());
type Paused = z.output<typeof pausedSchema>;

/**
 * Reasons that a caller can cause alone: by submitting a refused payment later, by revoking an account while money is on its
 * way into it, or by never coming back. If these calls counted, one caller could pause an operation for everyone else.
 */
const broughtAboutByCallers = ['upload_not_found', 'renewal_limit', 'account_revoked', 'not_asked_for_again'];

/** A transfer that an operator has booked is not a failure. */
const notCounted = [...broughtAboutByCallers, transferBooked];

interface PausedDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'log'> {
  readonly settings: Pick<Settings, 'WORKLIST_LIMIT'>;
}

/**
 * The operations that are paused because too many of their paid calls failed on our side and wait for the operator
 * (WORKLIST_LIMIT). A process reads the list from the database with each heartbeat, and works with that copy in between, so no
 * call waits for a query.
 */
export class PausedOperations {
  readonly #app: PausedDeps;
  #paused: Paused = {};

  constructor(app: PausedDeps) {
    this.#app = app;
  }

  includes(operation: string): boolean {
    return Object.hasOwn(this.#paused, operation);
  }

  get all(): readonly PausedOperation[] {
    return Object.entries(this.#paused).map(([operation, calls]) => ({ operation, calls }));
  }

  /** Takes the result of the query, and logs what has changed. */
  update(paused: Paused): void {
    const before = this.#paused;
    this.#paused = paused;
    for (const [operation, calls] of Object.entries(paused))
      if (!Object.hasOwn(before, operation))
        this.#app.log.error(
          { operation, calls },
          'an operation is paused until its failed calls are dealt with',
        );
    for (const operation of Object.keys(before))
      if (!Object.hasOwn(paused, operation))
        this.#app.log.info({ operation }, 'an operation is no longer paused');
  }

  /** Queries the database. */
  async refresh(): Promise<void> {
    const [row] = await this.#app.db.$queryRaw<{ paused: unknown }[]>`
      SELECT ${pausedOperations(this.#app.settings)} AS paused`;
    this.update(pausedSchema.parse(row?.paused));
  }
}

/**
 * The paused operations, in SQL: a JSON object as in `pausedSchema`. It reads only the calls in `needs_attention`. These are
 * few, because an operation at its limit is not offered. A call whose refund is under way counts as dealt with.
 */
export function pausedOperations({ WORKLIST_LIMIT }: Pick<Settings, 'WORKLIST_LIMIT'>): Prisma.Sql {
  if (WORKLIST_LIMIT === 0) return Prisma.sql`'{}'::jsonb`;
  return Prisma.sql`(SELECT COALESCE(jsonb_object_agg(operation, calls), '{}') FROM (
    SELECT operation, count(*) AS calls FROM paid_call
    WHERE state = 'needs_attention' AND COALESCE(move_note, '') NOT IN (${Prisma.join(notCounted)})
      AND NOT EXISTS (SELECT FROM refund
        WHERE paid_call_id = paid_call.id AND refund.state::text IN (${Prisma.join([...openRefundStates])}))
    GROUP BY operation HAVING count(*) >= ${WORKLIST_LIMIT}) AS at_limit)`;
}
