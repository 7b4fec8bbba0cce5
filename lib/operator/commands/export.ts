import { parseArgs } from 'node:util';
import { z } from 'zod';
import { recordAction } from '@/lib/operator/actions';
import { newId } from '@/lib/platform/ids';
import { moment } from '../calls/filters';
import { csvOf } from '../export/export-csv';
import { exportData } from '../export/personal-data';
import { type ExportedPosting, exportColumns, exportPostings } from '../export/postings';
import type { DataSubject } from '../moderation/erase-data';
import { type Command, type CommandContext, withApp } from './command';
import { jsonOf, parseOptions, subjectOf, subjectOptions } from './options';
import { withPatience } from './patience';

/** Prints the ledger for bookkeeping. */
export const exportCommand: Command = {
  synopsis: 'export --from DATE --to DATE [--json] | --wallet ADDRESS | --form ID',
  help: [
    'prints the postings of a time span as CSV for bookkeeping: payments, deliveries, refunds and gas',
    '--from        the first day or moment, such as 2026-11-01; days begin at midnight UTC',
    '--to          the first day or moment that is left out, such as 2026-12-01',
    '--json        prints one JSON object per line instead of CSV',
    '--wallet      prints what is stored about a wallet instead: its calls, uploads and forms, one JSON object per line',
    '--form        prints a form and the responses to it, in the same way; the log of actions records it',
  ],

  async run(args, context) {
    const options = readOptions(args);
    if ('subject' in options) return exportSubject(context, options.subject);
    const { from, to, json } = options;
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

function exportSubject(context: CommandContext, subject: DataSubject): Promise<0 | 1> {
  return withApp({ ...context, env: withPatience(context.env) }, async (app) => {
    await recordAction(app, {
      actor: context.operator,
      action: 'records.export',
      target: subject,
      correlationId: newId('op'),
    });
    for await (const entry of exportData(app, subject)) await context.write(`${jsonOf(entry)}\n`);
    return 0;
  });
}

const ofSubject = z
  .strictObject({ ...subjectOptions, json: z.boolean() })
  .refine(({ wallet, form }) => wallet === undefined || form === undefined, {
    path: ['wallet'],
    error: 'does not go with --form',
  });

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
    options: { from: text, to: text, wallet: text, form: text, json: { type: 'boolean', default: false } },
  });
  if (values.wallet !== undefined || values.form !== undefined)
    return { subject: subjectOf(parseOptions(ofSubject, values)) };
  return parseOptions(span, values);
}
