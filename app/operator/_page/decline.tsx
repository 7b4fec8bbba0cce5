import type { ReactNode } from 'react';
import { currentApp } from '@/lib/app/current';
import type { ReadRequest } from '@/lib/operator/refunds/decline-refund';
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
import { Empty, Facts, Moment } from './parts';
import { RefundFacts } from './refund-parts';
import { stateWords } from './state-tag';
import { errorsOf, type Problem, Summary } from './summary';

/** Serves the page on which a payer's request for a refund is declined. What the payer wrote is shown only on request, which is logged. */

/** `GET /operator/calls/{id}/decline` */
export const showRequest = consolePage((context) => requestPage(context, 200, {}), 'full');

/** `POST /operator/calls/{id}/decline`: shows what the payer wrote, or declines the request. */
export const declineRequest = consoleAction('full', async (action) => {
  const { id } = action;
  if (action.fields.get('step') === 'show') {
    const message = await currentApp().console.showRefundMessage(action.operator, id);
    return requestPage(action, 200, { message: message ?? 'none, or it cannot be read' });
  }
  const answer = noteOf(action.fields);
  if (answer === '') {
    const problem = { field: 'note', text: 'Enter why there is no refund.' };
    return requestPage(action, 400, { problems: [problem] });
  }
  const isDeclined = await currentApp().console.declineRefund(action.operator, id, answer);
  if (isDeclined) return seeOther(`/operator/calls/${id}#request`);
  return requestPage(action, 409, { problems: [{ text: 'The request is no longer open.' }] });
});

interface Shown {
  readonly problems?: readonly Problem[];
  /** What the payer wrote, once someone has looked at it. */
  readonly message?: string;
}

async function requestPage(
  context: ConsoleRequest & Partial<ConsoleAction>,
  status: number,
  { problems = [], message }: Shown,
) {
  const { id } = context;
  const { console } = currentApp();
  const request = await console.readRefundRequest(id);
  const options = request && (await console.findRefundOptions(id));
  if (!request || !options) {
    const body = (
      <>
        <h1>Refund request not found</h1>
        <Empty>Nobody has requested a refund of this call.</Empty>
      </>
    );
    return showPage(context, 'Refund request not found', body, 404);
  }
  const body = (
    <>
      <h1>Refund request</h1>
      <Summary title="The request was not declined" problems={problems} />
      <RefundFacts call={options.call} />
      <h2>The payer’s request</h2>
      <RequestFacts request={request} message={message} />
      {request.hasMessage && message === undefined ? (
        <form method="post" action={`/operator/calls/${id}/decline`} className="actions">
          <FormToken value={context.formToken} />
          <input type="hidden" name="step" value="show" />
          <button type="submit" className="secondary">
            Show what the payer wrote
          </button>
          <span>The log records that you looked.</span>
        </form>
      ) : null}
      {request.state === 'open' ? (
        <form method="post" action={`/operator/calls/${id}/decline`} className="narrow">
          <FormToken value={context.formToken} />
          <NoteField
            label="Answer"
            value={context.fields?.get('note') ?? undefined}
            hint="Why there is no refund. The payer can read it. What the payer wrote is deleted."
            error={errorsOf(problems).note}
          />
          <div className="actions">
            <button type="submit">Decline the request</button>
            <a href={`/operator/calls/${id}/refund`}>Refund instead</a>
          </div>
        </form>
      ) : (
        <p>
          <a href={`/operator/calls/${id}`}>Back to the call</a>
        </p>
      )}
    </>
  );
  return showPage(context, 'Refund request', body, status);
}

const states: Readonly<Record<ReadRequest['state'], string>> = {
  open: 'waits for an answer',
  refunded: 'refunded, or its refund is on its way',
  declined: 'declined',
};

/**
 * What a payer has requested, and what has become of it.
 * @param message what the payer wrote, once someone has looked at it
 */
export function RequestFacts({
  request,
  message,
}: {
  request: ReadRequest;
  message?: string | undefined;
}): ReactNode {
  const { reason, hasMessage, requestedAt, state, answer } = request;
  return (
    <Facts
      entries={[
        ['Requested', <Moment key="requested" at={requestedAt} />],
        ['Reason', stateWords(reason)],
        ...(hasMessage && message === undefined
          ? []
          : [['Message', message ?? 'none, or it is deleted'] as const]),
        ['State', states[state]],
        ...(answer === null ? [] : [['Answer', answer] as const]),
      ]}
    />
  );
}
