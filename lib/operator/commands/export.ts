import { parseArgs } from 'node:util';
import { z } from 'zod';
import { recordAction } from '@/lib/operator/actions';
import { newId } from '@/lib/platform/ids';
import { moment } from '../calls/filters';
import { csvOf } from '../export/export-csv';
import { type ExportedPosting, exportColumns, exportPostings } from '../export/postings';
import { type Command, withApp } from './command';
import { parseOptions } from './options';
import { withPatience } from './patience';

/** Prints the ledger for bookkeeping. */
export const exportCommand: Command = {
  synopsis: 'export --from DATE --to DATE [--json]',
  help: [
    'prints the postings of a time span as CSV for bookkeeping: payments, deliveries, refunds and gas',
    '--from        the first day or moment, such as 2026-11-01; days begin at midnight UTC',
    '--to          the first day or moment that is left out, such as 2026-12-01',
    '--json        prints one JSON object per line instead of CSV',
  ],

  async run(args, context) {
    const { from, to, json } = readOptions(args);
    return withApp({ ...context, env: withPatience(context.env) }, async (app) => {
      await recordAction(app, {
        actor: context.operator,
        action: 'records.export',
        after: { from: from.toISOString(), to: to.toISOString() },
        correlationId: newId('op'),
      });
      const postings = exportPostings(app, { from, to });
      for await (const text of json ? jsonLines(postings) : csvOf(exportColumns, postings))
        await context.write(text);
      return 0;
    });
  },
};

const span = z
  .strictObject({ from: moment, to: moment, json: z.boolean() })
  .refine(({ from, to }) => from < to, { path: ['to'], error: 'must be after --from' });

async function* jsonLines(rows: AsyncIterable<ExportedPosting>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

function readOptions(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { from: text, to: text, json: { type: 'boolean', default: false } },
  });
  return parseOptions(span, values);
}
