import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Payments } from '@/lib/payments/app-payments';
import { toPrice } from '@/lib/payments/money';
import { knownNetworks } from '@/lib/payments/network-offers';
import type { WithDatabase } from '@/lib/platform/database/database';
import { newId } from '@/lib/platform/ids';
import { isJsonObject, parseJson } from '@/lib/platform/json';
import type { Platform } from '@/lib/platform/platform';
import { bookTransfers, examineTransfers, findBooked, type PaymentFacts } from '../transfers/book-transfers';
import { requestForTransfer, type TransferRequest, transferRequest } from '../transfers/find-transfers';
import { TransferError } from '../transfers/transfer-error';
import { type Command, type CommandContext, UsageError, withApp } from './command';
import { jsonOf, noteSchema, parseOptions } from './options';

interface BookDeps extends WithDatabase, Pick<Platform, 'settings' | 'clock'> {
  readonly payments: Payments;
}

/** A payment to book: of a transaction, or by its ID on the worklist. */
type Wanted = TransferRequest | { readonly id: string };

/** A finding of the audit about a payment that the ledger does not have. Its other fields are not needed. */
const found = z.object({ payment: transferRequest.loose() }).transform(
  ({ payment: { network, transactionHash, authorization } }): Wanted => ({
    network,
    transactionHash,
    authorization,
  }),
);

/** A transfer on the worklist that belongs to no call. */
const listed = z
  .object({ kind: z.literal('transfer_without_call'), id: z.string().startsWith('tw_') })
  .transform(({ id }): Wanted => ({ id }));

const line = z.union([found, listed]);

/**
 * The payments in a list with a JSON object on each line, as `audit --json` and `worklist --json` print it.
 * @returns also how many lines are about something else
 * @throws UsageError when a line is no JSON object
 */
export function paymentsIn(text: string): { readonly wanted: readonly Wanted[]; readonly others: number } {
  const wanted: Wanted[] = [];
  let others = 0;
  for (const [index, content] of text.split('\n').entries()) {
    // Before the list, `npm run` prints what it runs.
    if (content.trim() === '' || content.startsWith('> ')) continue;
    const value = parseJson(content);
    if (!isJsonObject(value))
      throw new UsageError(`--file: line ${index + 1} is not a JSON object, as audit --json prints them.`);
    const read = line.safeParse(value);
    if (read.success) wanted.push(read.data);
    else others += 1;
  }
  return { wanted, others };
}

/** Books payments that the ledger does not know. */
export const book: Command = {
  synopsis:
    'book ID… | TRANSACTION… --network NETWORK | --file FILE [--authorization NONCE] [--note TEXT] [--yes] [--json]',
  help: [
    'books the payments of transactions that the ledger does not have, such as those that the audit finds after a restore, or',
    'transfers of the worklist by their IDs; each is then refunded with refund, or kept with keep; without --yes it only shows',
    'them. What is booked already stays as it is, so the same list can be given again. After a failure it goes on with the rest,',
    'and exits with 1',
    '--file        a list of payments as audit --json or worklist --json prints it; - is standard input',
    `--network     where the transactions are: ${knownNetworks.join(', ')}`,
    '--authorization only this payment of a transaction, as the audit prints it; all of the transaction unless given',
    '--note        why, in your words, for the log; required with --yes',
    '--yes         does it',
    '--json        prints one JSON object per payment instead of text: outcome (booked, already_booked, bookable or failed),',
    '              paidCallId, network, payer, authorization, amount, transactionHash, and after a failure error',
  ],

  async run(args, context) {
    const options = readOptions(args);
    const wanted =
      options.file === undefined ? options.wanted : await readList(context, options.file, options.json);
    return withApp(context, async (app) => {
      const correlationId = newId('op');
      const counts = { bookable: 0, booked: 0, already_booked: 0, failed: 0 };
      for (const one of wanted) {
        for (const result of await bookOne(app, context, one, options, correlationId)) {
          counts[result.outcome] += 1;
          if (options.json) context.print(jsonOf(factsOf(one, result)));
          else if (result.outcome === 'failed') context.printError(`${nameOf(one)}: ${result.error.message}`);
          else context.print(textOf(result));
        }
      }
      if (!options.json) for (const line of summaryOf(counts, options.yes)) context.print(line);
      return counts.failed === 0 ? 0 : 1;
    });
  },
};

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
  readonly wanted: readonly Wanted[];
  /** Has the list of what is wanted instead. */
  readonly file: string | undefined;
}

function readOptions(args: readonly string[]): Options {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { network: text, authorization: text, file: text, note: text, yes: flag, json: flag },
  });
  const { network, authorization, file, ...rest } = values;
  const options = parseOptions(transferOptions, rest);
  if ((file === undefined) === (positionals.length === 0))
    throw new UsageError('book takes IDs of transfers or hashes of transactions, or a list with --file.');
  const isId = (one: string) => one.startsWith('tw_');
  const hashes = positionals.filter((one) => !isId(one));
  if (hashes.length === 0 && (network !== undefined || authorization !== undefined))
    throw new UsageError('--network and --authorization go only with the hash of a transaction.');
  if (hashes.length > 1 && authorization !== undefined)
    throw new UsageError('--authorization goes only with one transaction.');
  if (hashes.length > 0 && network === undefined)
    throw new UsageError('--network: is required with the hash of a transaction.');
  const wanted = positionals.map((one): Wanted => {
    if (isId(one)) return { id: one };
    const request = transferRequest.safeParse({ network, transactionHash: one, authorization });
    if (!request.success)
      throw new UsageError('book takes the hash of a transaction, its network and a nonce.');
    return request.data;
  });
  return { ...options, wanted, file };
}

/** @throws UsageError when the file cannot be read, or is no list */
async function readList(context: CommandContext, file: string, isJson: boolean): Promise<readonly Wanted[]> {
  const text = await context.read(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--file: ${file} cannot be read (${error.code ?? error.message}).`);
  });
  const { wanted, others } = paymentsIn(text);
  if (others > 0)
    context.printError(
      `${others} ${others === 1 ? 'line is' : 'lines are'} about something else than a missing payment, and left out.`,
    );
  if (wanted.length === 0 && !isJson) context.print('The list has no payment to book.');
  return wanted;
}

type Result =
  | { readonly outcome: 'bookable'; readonly payment: PaymentFacts }
  | {
      readonly outcome: 'booked' | 'already_booked';
      readonly payment: PaymentFacts & { readonly paidCallId: string };
    }
  | { readonly outcome: 'failed'; readonly error: TransferError };

/** Books what the ledger does not have of one transaction, or shows what would be booked. */
async function bookOne(
  app: BookDeps,
  { operator }: CommandContext,
  one: Wanted,
  { yes, note = '' }: Options,
  correlationId: string,
): Promise<Result[]> {
  try {
    const request = 'id' in one ? await requestForTransfer(app, one.id) : one;
    return await (yes
      ? bookTransfers(app, operator, request, note, correlationId).then((transfers) =>
          transfers.map((payment) => ({ outcome: 'booked', payment }) as const),
        )
      : examineTransfers(app, request).then((transfers) =>
          transfers.map((payment) => ({ outcome: 'bookable', payment }) as const),
        )
    ).catch((error: unknown) => findBookedBefore(app, request, error));
  } catch (error) {
    if (!(error instanceof TransferError)) throw error;
    return [{ outcome: 'failed', error }];
  }
}

/** @throws the error, unless it says that the ledger has what was booked */
async function findBookedBefore(app: BookDeps, request: TransferRequest, error: unknown): Promise<Result[]> {
  if (!(error instanceof TransferError) || error.code !== 'in_ledger') throw error;
  const booked = await findBooked(app, request);
  // It is a call that was bought.
  if (booked.length === 0) throw error;
  return booked.map((payment) => ({ outcome: 'already_booked', payment }));
}

function nameOf(one: Wanted): string {
  return 'id' in one ? one.id : `${one.network} ${one.transactionHash}`;
}

function textOf(result: Exclude<Result, { outcome: 'failed' }>): string {
  const { network, payer, authorization, amountAtomic, transactionHash } = result.payment;
  const paidCallId = result.outcome === 'bookable' ? '' : `${result.payment.paidCallId}  `;
  return [
    `${paidCallId}${toPrice(amountAtomic)} USDC on ${network}, transaction ${transactionHash}`,
    `  payer ${payer}, authorization ${authorization}`,
    `  ${outcomeWords[result.outcome]}`,
  ].join('\n');
}

const outcomeWords = {
  bookable: 'It would be booked.',
  booked: 'It is booked. Refund it or keep it.',
  already_booked: 'It was booked before.',
} as const;

/** The fields stay as they are in later versions, because programs read them. */
function factsOf(one: Wanted, result: Result) {
  if (result.outcome === 'failed') {
    const { code, message } = result.error;
    return { outcome: result.outcome, paidCallId: null, ...one, error: { code, message } };
  }
  const { network, payer, authorization, amountAtomic, transactionHash } = result.payment;
  const paidCallId = result.outcome === 'bookable' ? null : result.payment.paidCallId;
  const amount = toPrice(amountAtomic);
  return { outcome: result.outcome, paidCallId, network, payer, authorization, amount, transactionHash };
}

function summaryOf(counts: Readonly<Record<Result['outcome'], number>>, isDone: boolean): string[] {
  const { bookable, booked, already_booked: before, failed } = counts;
  const first = isDone ? `${booked} booked` : `${bookable} would be booked`;
  return [
    ...(bookable + booked + before + failed > 1
      ? [`${first}, ${before} booked before, ${failed} failed`]
      : []),
    ...(isDone || bookable === 0 ? [] : ['Nothing has been recorded. Add --yes to do it.']),
  ];
}
