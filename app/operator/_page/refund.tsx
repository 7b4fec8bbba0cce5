import { currentApp } from '@/lib/app/current';
import type { PageAnswer } from '@/lib/http/page-route';
import { type RefundOrder, refundOrder } from '@/lib/operator/console/refund-orders';
import {
  type ConsoleAction,
  type ConsoleRequest,
  consoleAction,
  consolePage,
  seeOther,
  showPage,
} from './console-route';
import { Empty } from './parts';
import { CancelReview } from './refund-cancel';
import { RefundForm, RefundReview } from './refund-pages';

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
  return form(action, 400, 'Start again from here.');
});

async function order(action: ConsoleAction, isConfirmed: boolean): Promise<PageAnswer> {
  const { console } = currentApp();
  const parsed = parseOrder(action);
  if (!parsed.order) return form(action, 400, parsed.problem);
  const { order } = parsed;
  const problem = isConfirmed
    ? await console.carryOut(action.operator, order)
    : await console.examineOrder(order);
  if (problem !== null) return form(action, 409, problem);
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

function parseOrder({ id, fields }: ConsoleAction): { order: RefundOrder | null; problem: string } {
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
  if (parsed.success) return { order: parsed.data, problem: '' };
  const words: Readonly<Record<string, string>> = {
    method: 'Choose how the money goes back.',
    reason: 'Choose a reason.',
    note: 'A note has at most 500 characters.',
    transactionHash: 'Enter the hash of the transaction that pays the money back.',
    accountId: 'Enter the id of the prepaid account.',
  };
  const [first] = parsed.error.issues.map(({ path }) => words[String(path[0])]);
  return { order: null, problem: first ?? 'Fill in every field.' };
}

async function cancel(action: ConsoleAction, isConfirmed: boolean): Promise<PageAnswer> {
  const { console } = currentApp();
  const options = await console.findRefundOptions(action.id);
  const refundId = action.fields.get('refund') ?? '';
  const refund = options?.refunds.find(({ id }) => id === refundId);
  if (!options || !refund) return notFound(action);
  const note = (action.fields.get('note') ?? '').trim().slice(0, 500);
  if (note === '') return form(action, 400, 'Say in a note why the refund is cancelled.');
  const problem = isConfirmed
    ? await console.cancel(action.operator, refundId, note)
    : await console.examineCancel(refundId);
  if (problem !== null) return form(action, 409, problem);
  if (isConfirmed) return seeOther(`/operator/calls/${options.call.id}#refunds`);
  const page = <CancelReview options={options} refund={refund} note={note} formToken={action.formToken} />;
  return showPage(action, 'Check the cancellation', page);
}

/** The first step. After a problem it has what was filled in. */
async function form(context: ConsoleRequest & Partial<ConsoleAction>, status: number, problem?: string) {
  const options = await currentApp().console.findRefundOptions(context.id);
  if (!options) return notFound(context);
  const values = Object.fromEntries(context.fields ?? []);
  const page = (
    <RefundForm options={options} values={values} problem={problem} formToken={context.formToken} />
  );
  return showPage(context, 'Refund', page, status);
}

function notFound(context: ConsoleRequest): Promise<PageAnswer> {
  return showPage(
    context,
    'Call not found',
    <>
      <h1>Call not found</h1>
      <Empty>There is no paid call with this id, or no such refund of it.</Empty>
    </>,
    404,
  );
}
