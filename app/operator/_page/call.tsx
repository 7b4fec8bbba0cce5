import { z } from 'zod';
import { currentApp } from '@/lib/app/current';
import type { PageAnswer } from '@/lib/http/page-route';
import { recordAction } from '@/lib/operator/actions';
import { isCall } from '@/lib/operator/calls/timeline';
import { newId } from '@/lib/platform/ids';
import { CallPage } from './call-page';
import { type ConsoleRequest, consoleAction, consolePage, may, seeOther, showPage } from './console-route';
import { Empty } from './parts';
import type { Problem } from './summary';

/** Serves the page of one call. */

/** `GET /operator/calls/{id}` */
export const showCall = consolePage((context) => callPage(context, 200));

/** `POST /operator/calls/{id}`: adds a note to the log. */
export const addNote = consoleAction('moderate', async (action) => {
  const { id } = action;
  const note = noteSchema.safeParse(action.fields.get('note') ?? '');
  if (!(await isCall(currentApp(), id))) return callPage(action, 404);
  if (!note.success)
    return callPage(action, 400, [{ field: 'note', text: 'Enter a note of at most 2,000 characters.' }]);
  await recordAction(currentApp(), {
    actor: action.operator,
    action: 'call.note',
    target: { kind: 'paid_call', id },
    note: note.data,
    correlationId: newId('op'),
  });
  return seeOther(`/operator/calls/${id}#log`);
});

const noteSchema = z.string().trim().min(1).max(2_000);

async function callPage(
  context: ConsoleRequest,
  status: number,
  problems: Problem[] = [],
): Promise<PageAnswer> {
  const timeline = await currentApp().console.callTimeline(context.id);
  if (!timeline) return showPage(context, 'Call not found', <NotFound />, 404);
  const refunds = await currentApp().console.refundsOf(timeline.call.id);
  const request = await currentApp().console.readRefundRequest(timeline.call.id);
  const page = (
    <CallPage
      request={request}
      timeline={timeline}
      refunds={refunds}
      formToken={context.formToken}
      problems={problems}
      canNote={may(context, 'moderate')}
      canRefund={may(context, 'full')}
    />
  );
  return showPage(context, `Call ${timeline.call.id}`, page, status);
}

function NotFound() {
  return (
    <>
      <h1>Call not found</h1>
      <Empty>There is no paid call with this ID. IDs of calls begin with pc_.</Empty>
    </>
  );
}
