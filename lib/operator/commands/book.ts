import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { FoundTransfer } from '@/lib/ledger/transfers-without-call';
import { toPrice } from '@/lib/payments/money';
import { parseSettings } from '@/lib/platform/settings';
import type { OperatorApp } from '../app';
import { type BookedTransfer, bookTransfers, examineTransfers } from '../transfers/book';
import { requestForTransfer, type TransferRequest, transferRequest } from '../transfers/find';
import { TransferError } from '../transfers/transfer-error';
import { type Command, type CommandContext, UsageError } from './command';
import { jsonOf, noteSchema, parseOptions } from './options';
import { systemOperator } from './system-operator';

/** Books payments that the ledger does not know. */
export const book: Command = {
  synopsis: 'book ID | TRANSACTION --network NETWORK [--authorization NONCE] [--note TEXT] [--yes] [--json]',
  help: [
    'books the payments of a transaction that the ledger does not have, such as those that the audit finds after a restore, or',
    'a transfer of the worklist by its ID; each is then refunded with refund, or kept with keep; without --yes it only shows',
    'them',
    '--network     where the transaction is; not with an ID',
    '--authorization only this payment, as the audit prints it; all of the transaction unless given',
    '--note        why, in your words, for the log; required with --yes',
    '--yes         does it',
    '--json        prints one JSON object per payment instead of text',
  ],

  async run(args, context) {
    const options = readOptions(args);
    const app = context.openApp(parseSettings(context.env));
    try {
      const request = 'id' in options.which ? await requestForTransfer(app, options.which.id) : options.which;
      const transfers = await find(app, request, options);
      for (const transfer of transfers)
        context.print(options.json ? jsonOf(factsOf(transfer)) : textOf(transfer));
      if (!options.yes && !options.json) context.print('Nothing has been recorded. Add --yes to do it.');
      return 0;
    } catch (error) {
      return reportTransferError(context, options.json, error);
    } finally {
      await app.close();
    }
  },
};

/** Prints why a transfer cannot be booked or kept. @throws every other error */
export function reportTransferError(context: CommandContext, isJson: boolean, error: unknown): 1 {
  if (!(error instanceof TransferError)) throw error;
  const { code, message } = error;
  if (isJson) context.print(JSON.stringify({ error: { code, message } }));
  else context.printError(message);
  return 1;
}

/** Without --yes nothing is recorded, so no note is needed. */
export const transferOptions = z
  .strictObject({
    note: noteSchema.optional(),
    yes: z.boolean(),
    json: z.boolean(),
  })
  .refine(({ note, yes }) => !yes || note !== undefined, {
    path: ['note'],
    error: 'is required with --yes',
  });

interface Options extends z.output<typeof transferOptions> {
  readonly which: TransferRequest | { readonly id: string };
}

function readOptions(args: readonly string[]): Options {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { network: text, authorization: text, note: text, yes: flag, json: flag },
  });
  const [which, ...others] = positionals;
  if (which === undefined || others.length > 0)
    throw new UsageError('book takes the ID of one transfer, or the hash of one transaction.');
  const { network, authorization, ...rest } = values;
  const options = parseOptions(transferOptions, rest);
  if (which.startsWith('tw_')) {
    if (network !== undefined || authorization !== undefined)
      throw new UsageError('--network and --authorization do not go with the ID of a transfer.');
    return { ...options, which: { id: which } };
  }
  if (network === undefined) throw new UsageError('--network: is required with the hash of a transaction.');
  const request = transferRequest.safeParse({ network, transactionHash: which, authorization });
  if (!request.success)
    throw new UsageError('book takes the hash of a transaction, its network and a nonce.');
  return { ...options, which: request.data };
}

/** What is booked, or would be. */
function find(
  app: OperatorApp,
  request: TransferRequest,
  { yes, note = '' }: Options,
): Promise<(FoundTransfer | BookedTransfer)[]> {
  return yes ? bookTransfers(app, systemOperator(), request, note) : examineTransfers(app, request);
}

function textOf(transfer: FoundTransfer | BookedTransfer): string {
  const { network, payer, authorization, amountAtomic, transactionHash } = transfer;
  const isBooked = 'paidCallId' in transfer;
  return [
    `${isBooked ? `${transfer.paidCallId}  ` : ''}${toPrice(amountAtomic)} USDC on ${network}, transaction ${transactionHash}`,
    `  payer ${payer}, authorization ${authorization}`,
    isBooked ? '  It is booked. Refund it or keep it.' : '  It would be booked.',
  ].join('\n');
}

function factsOf(transfer: FoundTransfer | BookedTransfer) {
  const { network, payer, authorization, amountAtomic, transactionHash } = transfer;
  const paidCallId = 'paidCallId' in transfer ? transfer.paidCallId : null;
  return { paidCallId, network, payer, authorization, amount: toPrice(amountAtomic), transactionHash };
}
