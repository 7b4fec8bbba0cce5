import type { ReactNode } from 'react';
import { Field } from '@/app/_page/field';
import { type ErrorCode, errorGroups, errors } from '@/lib/catalog/errors/codes';
import { messageOf, paymentReasons } from '@/lib/catalog/errors/payment-reasons';
import { charged, nextSteps } from '@/lib/discovery/llms';
import type { Page } from '../page';
import { ErrorLink, happened, Next, outcomeCells } from '../reference/error-table';
import { prose } from '../reference/field-list';
import { Table } from '../table';

/** `GET /docs/errors`, which `docs` in every error body links to. */

const again = { id: 'again', title: 'Retries' };
const refusals = { id: 'payment-reasons', title: 'Why a payment was refused' };

export const errorsPage: Page = {
  title: 'Errors',
  description: 'Every error code: why it happens, whether you were charged and what to do next.',
  body: () => <ErrorsPage />,
  markdown,
  isWide: true,
  headings: [again, ...errorGroups, refusals].map(({ id, title }) => ({ id, title, level: 2 })),
};

function ErrorsPage(): ReactNode {
  return (
    <>
      <h1>Errors</h1>
      <p>
        Every error except the 402 of a payment protocol has the same body: <code>code</code>,{' '}
        <code>message</code>, what happened to the money (<code>payment</code>) and what to do next (
        <code>retry</code>). Errors about invalid input also have <code>issues</code>, each with a{' '}
        <code>path</code> and a <code>rule</code>. <code>docs</code> links to the code on this page. A 402
        over x402 or MPP has the protocol&apos;s own fields and the same facts:{' '}
        <a href="#payment-reasons">why a payment was refused</a>.
      </p>
      <section aria-labelledby={again.id}>
        <h2 id={again.id}>{again.title}</h2>
        <p>
          Nothing was charged unless “Charged?” says something else, and a 402 always means that nothing was
          charged. If the outcome of a request is unknown, send the identical request again, with the same
          body, the same payment and the same <code>Idempotency-Key</code> if it had one. You get the response
          that the first request paid for, and you are never charged twice.{' '}
          <code>GET /v1/paid-calls/{'{id}'}</code>, with the <code>Paid-Call-Id</code> of a response, returns
          the status of a paid call.
        </p>
      </section>
      <div className="row-filter">
        <Field id="filter" label="Find an error by its code or a word">
          <input id="filter" type="search" autoComplete="off" spellCheck={false} data-filters-rows />
        </Field>
        <p role="status" />
      </div>
      {errorGroups.map(({ id, title, codes }) => (
        <section key={id} aria-labelledby={id}>
          <h2 id={id}>{title}</h2>
          <Table label={`Errors: ${title}`} columns={columns} rows={codes.map(rowOf)} />
        </section>
      ))}
      <section aria-labelledby={refusals.id}>
        <h2 id={refusals.id}>{refusals.title}</h2>
        <p>
          A 402 for a refused payment names the reason: in <code>error</code> over x402, in{' '}
          <code>reason</code> over MPP. Beside it are a <code>message</code> (over MPP <code>detail</code>),{' '}
          <code>retry</code>, <code>docs</code>, the <code>price</code>, and the <code>payer</code> and{' '}
          <code>network</code> where they are known. Nothing was charged.
        </p>
        <Table
          label="Reasons for refusing a payment"
          columns={reasonColumns}
          rows={reasons.map(({ code, message, retry }) => ({
            key: code,
            id: code,
            cells: [
              <a key="code" href={`#${code}`}>
                <code>{breakable(code)}</code>
              </a>,
              message,
              <Next key="next" retry={retry} />,
            ],
          }))}
        />
      </section>
    </>
  );
}

const reasons = Object.entries(paymentReasons).map(([code, reason]) => ({
  code,
  message: messageOf(reason),
  retry: reason.retry,
}));

const reasonColumns = [{ title: 'Reason' }, { title: 'What is wrong and what to do' }, { title: 'Next' }];

const columns = [{ title: 'Error' }, { title: 'What happened' }, { title: 'Charged?' }, { title: 'Next' }];

/** A long code may be broken after each word. */
function breakable(code: string): ReactNode {
  return code.split('_').map((word, at) => [at === 0 ? '' : '_', at === 0 ? null : <wbr key={word} />, word]);
}

function rowOf(code: ErrorCode) {
  const { cause } = errors[code];
  const explained = (
    <>
      {happened(code)} <span className="note">Usual cause: {prose(cause)}</span>
    </>
  );
  const link = <ErrorLink key="code" code={code} href={`#${code}`} />;
  return { key: code, id: code, cells: [link, explained, ...outcomeCells(code)] };
}

function markdown(): string {
  const groups = errorGroups.map(({ title, codes }) => `## ${title}\n\n${codes.map(entryOf).join('\n')}`);
  const refused = reasons.map(
    ({ code, message, retry }) => `- \`${code}\`: ${message} Next: ${nextSteps[retry]}.`,
  );
  const ofPayments = `## ${refusals.title}\n\n${refused.join('\n')}`;
  return `${['# Errors', errorsPage.description, ...groups, ofPayments].join('\n\n')}\n`;
}

function entryOf(code: ErrorCode): string {
  const { status, message, cause, payment, retry } = errors[code];
  return `- \`${code}\` (${status}): ${message} Usual cause: ${cause} Charged: ${charged[payment]}. Next: ${nextSteps[retry]}.`;
}
