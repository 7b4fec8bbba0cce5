import { currentApp } from '@/lib/app/current';
import { unmatchedTransfer } from '@/lib/ledger/states';
import {
  type ConsoleAction,
  type ConsoleRequest,
  consoleAction,
  consolePage,
  seeOther,
  showPage,
} from './console-route';
import { FormToken } from './document';
import { NoteField, noteOf } from './note-field';
import { Empty } from './parts';
import { RefundFacts } from './refund-parts';
import { errorsOf, Summary } from './summary';

/** Serves the page on which the money of a booked transfer is kept. */

/** `GET /operator/calls/{id}/keep` */
export const showKeeping = consolePage((context) => keepingPage(context, 200), 'full');

/** `POST /operator/calls/{id}/keep` */
export const keepTransfer = consoleAction('full', async (action) => {
  const { id } = action;
  const note = noteOf(action.fields);
  if (note === '') return keepingPage(action, 400, 'Enter why the money is kept.', 'note');
  const problem = await currentApp().console.keepTransfer(action.operator, id, note);
  return problem === null ? seeOther(`/operator/calls/${id}#log`) : keepingPage(action, 409, problem);
});

async function keepingPage(
  context: ConsoleRequest & Partial<ConsoleAction>,
  status: number,
  problem?: string,
  field?: string,
) {
  const options = await currentApp().console.findRefundOptions(context.id);
  if (options?.call.operation !== unmatchedTransfer) {
    const body = (
      <>
        <h1>Transfer not found</h1>
        <Empty>There is no booked transfer with this ID.</Empty>
      </>
    );
    return showPage(context, 'Transfer not found', body, 404);
  }
  const { call } = options;
  const problems = problem === undefined ? [] : [{ text: problem, field }];
  const body = (
    <>
      <h1>Keep the money</h1>
      <Summary title="The money was not kept" problems={problems} />
      <RefundFacts call={call} />
      <p>It will count as revenue and leave the worklist. It can still be refunded later.</p>
      <form method="post" action={`/operator/calls/${call.id}/keep`} className="narrow">
        <FormToken value={context.formToken} />
        <NoteField
          value={context.fields?.get('note') ?? undefined}
          hint="Why it is kept instead of refunded."
          error={errorsOf(problems).note}
        />
        <div className="actions">
          <button type="submit">Keep the money</button>
          <a href={`/operator/calls/${call.id}`}>Back</a>
        </div>
      </form>
    </>
  );
  return showPage(context, 'Keep the money', body, status);
}
