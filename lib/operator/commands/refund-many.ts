import { parseArgs } from 'node:util';
import { z } from 'zod';
import { operations } from '@/lib/catalog';
import type { Refund } from '@/lib/ledger/refund-records';
import { moment } from '@/lib/operator/calls/filters';
import {
  examineAccount,
  examineTransfer,
  findForRequest,
  refundRequest,
} from '@/lib/operator/refunds/examine-refund';
import { RefundError } from '@/lib/operator/refunds/refund-error';
import type { CallToRefund } from '@/lib/operator/refunds/refund-store';
import type { RefundsApp } from '@/lib/operator/refunds/refundable';
import { refundByTransfer, refundIntoAccount } from '@/lib/operator/refunds/request-refund';
import { findUndelivered } from '@/lib/operator/refunds/undelivered';
import { toPrice } from '@/lib/payments/money';
import { onAccount } from '@/lib/payments/payment';
import type { WithDatabase } from '@/lib/platform/database/database';
import { type CommandContext, UsageError, withApp } from './command';
import { noteSchema, parseOptions } from './options';

const callsMax = 10_000;

const manyOptions = z
  .strictObject({
    provider: z.string().optional(),
    file: z.string().optional(),
    network: z.string().optional(),
    from: moment.optional(),
    to: moment.optional(),
    transaction: z.string().optional(),
    account: z.string().optional(),
    note: noteSchema.optional(),
    yes: z.boolean(),
    json: z.boolean(),
  })
  .refine(({ provider, file }) => (provider === undefined) !== (file === undefined), {
    path: ['file'],
    error: 'does not go with --provider',
  })
  .refine(({ transaction, account }) => transaction === undefined || account === undefined, {
    path: ['account'],
    error: 'does not go with --transaction',
  });
type Options = z.output<typeof manyOptions>;

/** Whether the arguments of `refund` are about many calls. */
export function isAboutMany(args: readonly string[]): boolean {
  return args.some((arg) => /^--(provider|file)(=|$)/.test(arg));
}

/**
 * Refunds many calls, each like a single one and recorded by itself, so it can be repeated: what is refunded already is left out or
 * reported. Calls of prepaid accounts go back into them; others need a transfer, or an account.
 */
export async function refundMany(args: readonly string[], context: CommandContext): Promise<0 | 1> {
  const options = readOptions(args);
  return withApp(context, async (app) => {
    const ids = await selectCalls(app, options, context);
    const lines: Line[] = [];
    for (const id of ids) {
      const line = await refundOne(app, id, options, context);
      lines.push(line);
      context.print(options.json ? JSON.stringify(line) : textOf(line));
    }
    if (!options.json) context.print(summaryOf(lines, options));
    return lines.some(({ result }) => result === 'not_possible') ? 1 : 0;
  });
}

/** What was, or would be, done about one call. */
interface Line {
  readonly id: string;
  /** `transfer`: a transfer has to be made and recorded. */
  readonly result: 'refunded' | 'would_be_refunded' | 'transfer' | 'not_possible';
  readonly network: string | null;
  readonly recipient: string | null;
  readonly amount: string | null;
  readonly problem: string | null;
  readonly message: string | null;
}

function readOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      provider: text,
      file: text,
      network: text,
      from: text,
      to: text,
      transaction: text,
      account: text,
      note: text,
      yes: flag,
      json: flag,
    },
  });
  return parseOptions(manyOptions, values);
}

async function selectCalls(
  app: Pick<WithDatabase, 'db'>,
  { provider, file, ...filter }: Options,
  { read }: CommandContext,
): Promise<readonly string[]> {
  if (file !== undefined) {
    const text = await read(file).catch(() => {
      throw new UsageError(`--file: ${file} cannot be read.`);
    });
    // The first word of each line, so that the output of `calls` can be used as it is.
    const ids = text.split('\n').flatMap((line) => /^pc_[0-9A-Za-z]+/.exec(line)?.[0] ?? []);
    return [...new Set(ids)];
  }
  const ofProvider = operations.filter(({ providers = [] }) => providers.some((name) => name === provider));
  if (ofProvider.length === 0) throw new UsageError(`--provider: there is no provider ${provider}.`);
  return findUndelivered(app, { ...filter, operations: ofProvider.map(({ id }) => id) }, callsMax);
}

async function refundOne(
  app: RefundsApp,
  paidCallId: string,
  { transaction, account, note, yes }: Options,
  { operator }: CommandContext,
): Promise<Line> {
  const request = refundRequest.parse({ paidCallId, note: note ?? null });
  let call: CallToRefund | null = null;
  try {
    ({ call } = await findForRequest(app, request));
    const accountId = call.network === onAccount ? call.payer : account;
    let refund: Refund | null = null;
    if (accountId !== undefined) {
      if (yes) refund = await refundIntoAccount(app, operator, { ...request, accountId });
      else await examineAccount(app, { ...request, accountId });
    } else if (transaction !== undefined) {
      const byTransfer = { ...request, transactionHash: transaction };
      if (yes) refund = await refundByTransfer(app, operator, byTransfer);
      else await examineTransfer(app, byTransfer);
    } else {
      return lineOf(paidCallId, call, 'transfer', null);
    }
    return lineOf(paidCallId, call, refund ? 'refunded' : 'would_be_refunded', null);
  } catch (error) {
    if (!(error instanceof RefundError)) throw error;
    return lineOf(paidCallId, call, 'not_possible', error);
  }
}

function lineOf(
  id: string,
  call: CallToRefund | null,
  result: Line['result'],
  error: RefundError | null,
): Line {
  return {
    id,
    result,
    network: call?.network ?? null,
    recipient: call?.payer ?? null,
    amount: call && toPrice(call.amountAtomic),
    problem: error?.code ?? null,
    message: error?.message ?? null,
  };
}

function textOf({ id, result, network, recipient, amount, message }: Line): string {
  const what = amount === null ? id : `${id}  ${amount} USDC on ${network} to ${recipient}`;
  switch (result) {
    case 'refunded':
      return `${what}: refunded`;
    case 'would_be_refunded':
      return `${what}: would be refunded`;
    case 'transfer':
      return `${what}: make this transfer from the treasury, and record it with --transaction; or use --account`;
    case 'not_possible':
      return `${what}: ${message}`;
  }
}

function summaryOf(lines: readonly Line[], { yes }: Options): string {
  if (lines.length === 0) return 'No call is to be refunded.';
  const count = (result: Line['result']) => lines.filter((line) => line.result === result).length;
  const parts = [
    yes ? `${count('refunded')} refunded` : `${count('would_be_refunded')} would be refunded`,
    `${count('transfer')} need a transfer`,
    `${count('not_possible')} not possible`,
  ];
  const again = yes ? '' : ' Nothing has been recorded. Add --yes to do it.';
  return `${lines.length} calls: ${parts.join(', ')}.${again}`;
}
