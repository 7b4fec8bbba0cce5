import { parseArgs } from 'node:util';
import { z } from 'zod';
import { declineRefund, readRefundRequest, showRefundMessage } from '../refunds/decline-refund';
import { type Command, UsageError, withApp } from './command';
import { parseOptions } from './options';

const options = z.strictObject({
  answer: z.string().trim().min(1).max(500).optional(),
  yes: z.boolean(),
  json: z.boolean(),
});

/** Shows a payer's request for a refund, which is recorded, and declines it. */
export const decline: Command = {
  synopsis: 'decline CALL [--answer TEXT] [--yes] [--json]',
  help: [
    'shows the request of a payer for a refund of a call, which the log records, or declines it with --yes; refund grants it',
    '--answer      why there is no refund; the payer can read it; required with --yes',
    '--yes         declines it',
    '--json        prints one JSON object instead of text',
  ],

  async run(args, context) {
    const { id, answer, yes, json } = readOptions(args);
    return withApp(context, async (app) => {
      const request = await readRefundRequest(app, id);
      const message = yes || !request ? null : await showRefundMessage(app, context.operator, id);
      const isDone = yes && (await declineRefund(app, context.operator, id, answer ?? ''));
      const state = isDone ? 'declined' : (request?.state ?? 'none');
      const facts = { paidCallId: id, ...request, message, state, answer: isDone ? answer : request?.answer };
      if (json) context.print(JSON.stringify(facts));
      else if (!request) context.printError(`Nobody has requested a refund of ${id}.`);
      else {
        context.print(`${id}  ${request.reason}, requested ${request.requestedAt.toISOString()}: ${state}`);
        if (message !== null) context.print(`  ${JSON.stringify(message)}`);
        if (!yes && state === 'open') context.print('Add --answer and --yes to decline it.');
      }
      return request && (isDone || !yes) ? 0 : 1;
    });
  },
};

function readOptions(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { answer: { type: 'string' }, yes: flag, json: flag },
  });
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0) throw new UsageError('decline takes the id of one call.');
  const parsed = parseOptions(options, values);
  if (parsed.yes && parsed.answer === undefined)
    throw new UsageError('--answer is required with --yes: it tells the payer why.');
  return { id, ...parsed };
}
