import { parseArgs } from 'node:util';
import { examineKeeping, keepMoney } from '../transfers/book-transfers';
import { TransferError } from '../transfers/transfer-error';
import { transferOptions } from './book';
import { type Command, type CommandContext, UsageError, withApp } from './command';
import { parseOptions } from './options';

/** Keeps the money of a transfer that was booked. */
export const keep: Command = {
  synopsis: 'keep CALL [--note TEXT] [--yes] [--json]',
  help: [
    'keeps the money of a transfer that was booked with book: it is revenue then, and off the worklist; it can still be',
    'refunded; without --yes it only checks',
    '--note        why, in your words, for the log; required with --yes',
    '--yes         does it',
    '--json        prints one JSON object instead of text',
  ],

  async run(args, context) {
    const { id, note = '', yes, json } = readOptions(args);
    return withApp(context, async (app) => {
      if (yes) await keepMoney(app, context.operator, id, note);
      else await examineKeeping(app, id);
      if (json) context.print(JSON.stringify({ paidCallId: id, isKept: yes }));
      else context.print(yes ? `${id} is kept.` : `${id} would be kept. Add --yes to do it.`);
      return 0;
    }).catch((error: unknown) => report(context, json, error));
  },
};

function readOptions(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { note: { type: 'string' }, yes: flag, json: flag },
  });
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0)
    throw new UsageError('keep takes the id of one booked transfer.');
  return { id, ...parseOptions(transferOptions, values) };
}

/** Prints why the money cannot be kept. @throws every other error */
function report(context: CommandContext, isJson: boolean, error: unknown): 1 {
  if (!(error instanceof TransferError)) throw error;
  const { code, message } = error;
  if (isJson) context.print(JSON.stringify({ error: { code, message } }));
  else context.printError(message);
  return 1;
}
