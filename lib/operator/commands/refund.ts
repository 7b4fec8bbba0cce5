import { parseArgs } from 'node:util';
import type { Refund } from '@/lib/ledger/refund-records';
import { refundReasons } from '@/lib/ledger/refund-states';
import type { Operator } from '@/lib/operator/actions';
import {
  examineAccount,
  examineCancellation,
  examineTransfer,
  type RefundRequest,
  refundRequest,
} from '@/lib/operator/refunds/examine-refund';
import { describeProblem, RefundError } from '@/lib/operator/refunds/refund-error';
import { findRefundable, type Refundable, type RefundsApp } from '@/lib/operator/refunds/refundable';
import { cancelRefund, refundByTransfer, refundIntoAccount } from '@/lib/operator/refunds/request-refund';
import { toPrice } from '@/lib/payments/money';
import { type Command, type CommandContext, UsageError, withApp } from './command';
import { isAboutMany, refundMany } from './refund-many';

/** Refunds a paid call, or many. */
export const refund: Command = {
  synopsis:
    'refund CALL | --provider NAME | --file PATH [--transaction HASH | --account ID | --cancel] [--reason REASON] [--note TEXT] [--yes] [--json]',
  help: [
    'refunds the whole price of a paid call; without --yes it only shows the call, the amount and the recipient',
    '--transaction a transfer that you have made from the treasury to the payer; it is checked on the chain',
    '--account     posts the amount to this prepaid account',
    '--cancel      ends an open refund if nothing was sent for it, or takes a failed one off the worklist',
    `--reason      ${refundReasons.join(', ')}; not_delivered unless given. A delivered call needs another one`,
    '--note        your own words, for the log; required for the reason other',
    '--provider    instead of CALL: every call that this provider did not deliver, by its fault; narrowed by --network, --from',
    '              and --to. Calls of prepaid accounts are refunded into them',
    '--file        instead of CALL: the calls whose ids begin the lines of this file',
    '--yes         does it',
    '--json        prints one JSON object instead of text',
  ],

  async run(args, context) {
    if (isAboutMany(args)) return refundMany(args, context);
    const options = readOptions(args);
    const print = (facts: object, ...lines: readonly string[]) =>
      context.print(options.isJson ? JSON.stringify(facts) : lines.join('\n'));
    return withApp(context, async (app) => {
      const found = await findRefundable(app, options.request.paidCallId);
      if (!found) throw new RefundError('call_not_found');
      if (options.isConfirmed && options.action) {
        const refund = await act(app, context.operator, found, options.request, options.action);
        print({ ...factsOf(found), refund: refundFacts(refund) }, textOf(refund));
      } else {
        const step = options.action && (await examine(app, found, options.request, options.action));
        print({ ...factsOf(found), refund: null }, ...situationOf(found, options.request), ...(step ?? []));
      }
      return 0;
    }).catch((error: unknown) => {
      if (!(error instanceof RefundError)) throw error;
      return report(context, options.isJson, error);
    });
  },
};

/** What to do about a call. */
type Action =
  | { readonly kind: 'transaction'; readonly transactionHash: string }
  | { readonly kind: 'account'; readonly accountId: string }
  | { readonly kind: 'cancel' };

interface Options {
  readonly request: RefundRequest;
  /** Null to look only. */
  readonly action: Action | null;
  readonly isConfirmed: boolean;
  readonly isJson: boolean;
}

function readOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      transaction: text,
      account: text,
      cancel: flag,
      reason: text,
      note: text,
      yes: flag,
      json: flag,
    },
  });
  const [paidCallId, ...others] = positionals;
  if (paidCallId === undefined || others.length > 0)
    throw new UsageError('refund takes the id of one paid call.');
  const { transaction, account, cancel, reason, note = null } = values;
  const actions: Action[] = [
    ...(transaction === undefined ? [] : [{ kind: 'transaction', transactionHash: transaction } as const]),
    ...(account === undefined ? [] : [{ kind: 'account', accountId: account } as const]),
    ...(cancel ? [{ kind: 'cancel' } as const] : []),
  ];
  if (actions.length > 1) throw new UsageError('refund takes one of --transaction, --account and --cancel.');
  if (values.yes && actions.length === 0)
    throw new UsageError('--yes needs --transaction, --account or --cancel.');
  const request = refundRequest.safeParse({ paidCallId, reason, note });
  if (!request.success) {
    const isReason = request.error.issues.some(({ path }) => path[0] === 'reason');
    throw new UsageError(
      isReason ? `--reason takes one of ${refundReasons.join(', ')}.` : '--note takes 1 to 500 characters.',
    );
  }
  return {
    request: request.data,
    action: actions[0] ?? null,
    isConfirmed: values.yes,
    isJson: values.json,
  };
}

/** Checks what an action would do. @returns what it would do, in words */
async function examine(
  app: RefundsApp,
  found: Refundable,
  request: RefundRequest,
  action: Action,
): Promise<string[]> {
  const amount = `${toPrice(found.call.amountAtomic)} USDC`;
  switch (action.kind) {
    case 'transaction': {
      const { sent, isFinal } = await examineTransfer(app, { ...request, ...action });
      const finality = isFinal ? 'and is final' : 'and is followed until it is final';
      return [`The transfer of ${amount} in ${sent.transactionHash} is in order ${finality}.`, again];
    }
    case 'account':
      await examineAccount(app, { ...request, ...action });
      return [`${amount} would be posted to ${action.accountId}.`, again];
    case 'cancel': {
      const { id } = await examineCancellation(app, refundToCancel(found).id);
      return [`The refund ${id} would be cancelled.`, again];
    }
  }
}

const again = 'Nothing has been recorded. Add --yes to do it.';

function act(
  app: RefundsApp,
  operator: Operator,
  found: Refundable,
  request: RefundRequest,
  action: Action,
): Promise<Refund> {
  switch (action.kind) {
    case 'transaction':
      return refundByTransfer(app, operator, { ...request, ...action });
    case 'account':
      return refundIntoAccount(app, operator, { ...request, ...action });
    case 'cancel':
      return cancelRefund(app, operator, refundToCancel(found).id, request.note);
  }
}

/** The open refund of a call, or its last one if that failed. @throws RefundError refund_not_found */
function refundToCancel({ open, refunds: [last] }: Refundable): Refund {
  const refund = open ?? (last?.state === 'failed' ? last : null);
  if (!refund) throw new RefundError('refund_not_found');
  return refund;
}

/** Shows nothing that a caller wrote. */
function situationOf(
  { call, refunds, problem, hasPayerCode }: Refundable,
  { reason }: RefundRequest,
): string[] {
  const transaction = call.transactionHash === null ? '' : `, transaction ${call.transactionHash}`;
  return [
    `${call.id}  ${call.operation}, ${call.state}`,
    `  ${toPrice(call.amountAtomic)} USDC on ${call.network}${transaction}`,
    `  to be refunded to ${call.payer}, reason ${reason}`,
    ...(hasPayerCode ? ['  The payer has code: make sure that it can use what is sent to it.'] : []),
    ...refunds.map((refund) => `  ${textOf(refund)}`),
    ...(problem ? [`  ${describeProblem(problem)}`] : []),
  ];
}

function textOf({ id, state, amountAtomic, recipient, network, transactionHash, moveNote }: Refund): string {
  const transaction = transactionHash === null ? '' : `, transaction ${transactionHash}`;
  const why = moveNote === null ? '' : ` (${moveNote})`;
  return `refund ${id} is ${state}${why}: ${toPrice(amountAtomic)} USDC to ${recipient} on ${network}${transaction}`;
}

function factsOf({ call, refunds, problem, methods, hasPayerCode }: Refundable) {
  const { id, operation, state, network, payer, amountAtomic, transactionHash } = call;
  return {
    call: { id, operation, state, network, payer, amount: toPrice(amountAtomic), transactionHash },
    refunds: refunds.map(refundFacts),
    problem,
    methods,
    hasPayerCode,
  };
}

function refundFacts(refund: Refund) {
  const { id, method, state, network, recipient, amountAtomic, reason, note, transactionHash, moveNote } =
    refund;
  const amount = toPrice(amountAtomic);
  const [requestedAt, movedAt] = [refund.requestedAt, refund.movedAt].map((at) => at.toISOString());
  return {
    id,
    method,
    state,
    network,
    recipient,
    amount,
    reason,
    note,
    transactionHash,
    moveNote,
    requestedAt,
    movedAt,
  };
}

function report(
  context: CommandContext,
  isJson: boolean,
  { code, message, transactionHash }: RefundError,
): 1 {
  if (isJson) context.print(JSON.stringify({ error: { code, message, transactionHash } }));
  else context.printError(transactionHash === null ? message : `${message} (${transactionHash})`);
  return 1;
}
