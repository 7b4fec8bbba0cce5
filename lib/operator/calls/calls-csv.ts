import { type Operator, recordAction } from '@/lib/operator/actions';
import type { WithDatabase } from '@/lib/platform/database/database';
import { newId } from '@/lib/platform/ids';
import { csvOf } from '../export/export-csv';
import { callFacts } from './facts';
import type { CallFilters } from './filters';
import { findCalls } from './find-calls';

const columns = [
  'id',
  'createdAt',
  'state',
  'reason',
  'operation',
  'rail',
  'network',
  'payer',
  'amount',
  'amountAtomic',
  'transactionHash',
  'transactionPage',
  'answerStatus',
  'movedAt',
] as const;

type Row = Record<(typeof columns)[number], string>;

const pageRows = 200;

/**
 * The calls that match, newest first, as CSV in chunks.
 * @param limit the maximum number of calls
 */
export function callsCsv(
  app: Pick<WithDatabase, 'db'>,
  filters: CallFilters,
  limit: number,
): AsyncGenerator<string> {
  return csvOf(columns, rowsOf(app, filters, limit));
}

/** The maximum number of calls in a file. */
const exportMax = 1_000_000;

/** The same for an operator at the console, with a row in the log of actions. */
export async function exportCalls(
  app: Pick<WithDatabase, 'db'>,
  operator: Operator,
  filters: CallFilters,
): Promise<AsyncGenerator<string>> {
  await recordAction(app, {
    actor: operator,
    action: 'records.export',
    after: JSON.parse(JSON.stringify(filters)),
    correlationId: newId('op'),
  });
  return callsCsv(app, filters, exportMax);
}

async function* rowsOf(
  app: Pick<WithDatabase, 'db'>,
  filters: CallFilters,
  limit: number,
): AsyncGenerator<Row> {
  let cursor: string | undefined;
  for (let left = limit; left > 0; ) {
    const page = await findCalls(app, { ...filters, cursor, limit: Math.min(left, pageRows) });
    for (const call of page.calls) {
      const { reason, answerStatus, transactionHash, transactionPage, ...facts } = callFacts(call);
      yield {
        ...facts,
        reason: reason ?? '',
        answerStatus: answerStatus?.toString() ?? '',
        transactionHash: transactionHash ?? '',
        transactionPage: transactionPage ?? '',
      };
    }
    left -= page.calls.length;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
