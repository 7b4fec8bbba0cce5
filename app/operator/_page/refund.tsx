import { currentApp } from '@/lib/app/current';
import type { PageAnswer } from '@/lib/http/page-route';
import { type OrderProblem, type RefundOrder, refundOrder } from '@/lib/operator/console/refund-orders';
import {
  type ConsoleAction,
  type ConsoleRequest,
  consoleAction,
  consolePage,
  seeOther,
  showPage,
} from './console-route';
import { noteOf } from './note-field';
import { Empty } from './parts';
import { CancelReview } from './refund-cancel';
import { RefundForm } from './refund-form';
import { RefundReview } from './refund-review';
import type { Problem } from './summary';

/**
 * Serves the refund of a call, in two steps: what is filled in is checked and shown again with amount, recipient and network,
 * and only then done. Sending the second step twice changes nothing: a call has at most one refund.
 */

/** `GET /operator/calls/{id}/refund` */
export const showRefund = consolePage((context) => form(context, 200), 'full');

/** `POST /operator/calls/{id}/refund` */
export const refund = consoleAction('full', async (action) => {
  const step = action.fields.get('step');
  if (step === 'review' || step === 'confirm') return order(action, step === 'confirm');
  if (step === 'review-cancel' || step === 'cancel') return cancel(action, step === 'cancel');
  return form(action, 400, [{ text: 'Start again from here.' }]);
});

async function order(action: ConsoleAction, isConfirmed: boolean): Promise<PageAnswer> {
  const { console } = currentApp();
  const parsed = parseOrder(action);
  if (!parsed.order) return form(action, 400, parsed.problems);
  const { order } = parsed;
  const problem = isConfirmed
    ? await console.carryOut(action.operator, order)
    : await console.examineOrder(order);
  if (problem !== null) return form(action, 409, [{ field: fieldOf(problem), text: problem.text }]);
  if (isConfirmed) {
    const next = order.method === 'wallet' ? '/refund/wallet' : '#refunds';
    return seeOther(`/operator/calls/${order.paidCallId}${next}`);
  }
  const options = await console.findRefundOptions(order.paidCallId);
  if (!options) return notFound(action);
  return showPage(
    action,
    'Check the refund',
    <RefundReview options={options} order={order} formToken={action.formToken} />,
  );
}

function parseOrder({ id, fields }: ConsoleAction): { order: RefundOrder | null; problems: Problem[] } {
  const text = (name: string) => (fields.get(name) ?? '').trim();
  const note = text('note');
  const shared = { paidCallId: id, reason: text('reason'), note: note === '' ? null : note };
  const method = text('method');
  const details =
    method === 'account'
      ? { accountId: text('accountId') }
      : method === 'transfer'
        ? { transactionHash: text('transactionHash') }
        : {};
  const parsed = refundOrder.safeParse({ ...shared, method, ...details });
  if (parsed.success) return { order: parsed.data, problems: [] };
  const wrong = parsed.error.issues.map(({ path }) => String(path[0]));
  const known = Object.entries(messages).filter(([field]) => wrong.includes(field));
  const problems = known.map(([field, message]) => ({ field, text: message }));
  return { order: null, problems: problems.length > 0 ? problems : [{ text: 'Fill in every field.' }] };
}

/** What is said about each field, in the order of the form. */
const messages: Readonly<Record<string, string>> = {
  method: 'Choose how the money goes back.',
  transactionHash: 'Enter the hash of the transaction that pays the money back.',
  accountId: 'Enter the ID of the prepaid account.',
  reason: 'Choose a reason.',
  note: 'Enter a note of at most 500 characters.',
};

/** The field that a problem is about; undefined when it is about the call or its network. */
function fieldOf({ code }: OrderProblem): string | undefined {
  switch (code) {
    case 'reason_required':
      return 'reason';
    case 'note_required':
      return 'note';
    case 'account_not_open':
    case 'other_account':
      return 'accountId';
    case 'not_a_hash':
    case 'transaction_not_found':
    case 'transaction_failed':
    case 'wrong_token':
    case 'wrong_sender':
    case 'wrong_recipient':
    case 'wrong_amount':
    case 'before_payment':
    case 'transfer_used':
      return 'transactionHash';
    default:
      return undefined;
  }
}

async function cancel(action: ConsoleAction, isConfirmed: boolean): Promise<PageAnswer> {
  const { console } = currentApp();
  const options = await console.findRefundOptions(action.id);
  const refundId = action.fields.get('refund') ?? '';
  const refund = options?.refunds.find(({ id }) => id === refundId);
  if (!options || !refund) return notFound(action);
  const note = noteOf(action.fields);
  if (note === '')
    return form(action, 400, [{ field: 'cancel-note', text: 'Enter why the refund is canceled.' }]);
  const problem = isConfirmed
    ? await console.cancel(action.operator, refundId, note)
    : await console.examineCancel(refundId);
  if (problem !== null) return form(action, 409, [{ text: problem.text }]);
  if (isConfirmed) return seeOther(`/operator/calls/${options.call.id}#refunds`);
  const page = <CancelReview options={options} refund={refund} note={note} formToken={action.formToken} />;
  return showPage(action, 'Check the cancellation', page);
}

/** The first step. After a problem it has what was filled in. */
async function form(
  context: ConsoleRequest & Partial<ConsoleAction>,
  status: number,
  problems: readonly Problem[] = [],
) {
  const options = await currentApp().console.findRefundOptions(context.id);
  if (!options) return notFound(context);
  const values = Object.fromEntries(context.fields ?? []);
  const page = (
    <RefundForm options={options} values={values} problems={problems} formToken={context.formToken} />
  );
  return showPage(context, 'Refund', page, status);
}

function notFound(context: ConsoleRequest): Promise<PageAnswer> {
  return showPage(
    context,
    'Call not found',
    <>
      <h1>Call not found</h1>
      <Empty>There is no paid call with this ID, or no such refund of it.</Empty>
    </>,
    404,
  );
}
