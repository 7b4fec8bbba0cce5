import type { ReactNode } from 'react';
import { describing, Field } from '@/app/_page/field';
import { Table } from '@/app/_site/table';
import { currentApp } from '@/lib/app/current';
import type { PageAnswer } from '@/lib/http/page-route';
import { type TransactionPayments, transferRequest } from '@/lib/operator/transfers/find-transfers';
import { transactionPage } from '@/lib/payments/explorers';
import { configuredOffers, networkLabel } from '@/lib/payments/network-offers';
import {
  type ConsoleAction,
  type ConsoleRequest,
  consoleAction,
  consolePage,
  may,
  seeOther,
  showPage,
} from './console-route';
import { FormToken } from './document';
import { NoteField, noteOf } from './note-field';
import { CallLink, Copyable, columnFormat, Facts, Id, Transaction } from './parts';
import { errorsOf, type Problem, Summary } from './summary';

/** Serves payments that the ledger does not know: a transaction is looked up on its chain, shown, and booked. */

/** `GET /operator/transfers`; with `?network=` and `&transaction=` it shows the payments of a transaction. */
export const showTransfers = consolePage((context) => {
  const { searchParams } = context.url;
  return transfersPage(context, searchParams.has('transaction') ? searchParams : null);
});

/** `POST /operator/transfers`: books the payments of a transaction that the ledger does not have. */
export const bookTransfers = consoleAction('full', async (action) => {
  const { fields, operator } = action;
  const request = readRequest(fields);
  const note = noteOf(fields);
  if (!request) return transfersPage(action, fields);
  if (note === '')
    return transfersPage(action, fields, 400, { field: 'note', text: 'Enter why the payment is booked.' });
  const problem = await currentApp().console.bookTransfers(operator, request, note);
  if (problem !== null) return transfersPage(action, fields, 409, { text: problem });
  return seeOther(`/operator/calls?transaction=${encodeURIComponent(request.transactionHash)}`);
});

function readRequest(values: URLSearchParams) {
  const transaction = { network: values.get('network'), transactionHash: values.get('transaction') };
  return transferRequest.safeParse(transaction).data ?? null;
}

/** @param values the transaction to look up; null for an empty form */
async function transfersPage(
  context: ConsoleRequest & Partial<ConsoleAction>,
  values: URLSearchParams | null,
  status = 200,
  problem?: Problem,
): Promise<PageAnswer> {
  const request = values && readRequest(values);
  const looked = request && (await currentApp().console.findTransfers(request));
  const found = looked && !('problem' in looked) ? looked : null;
  const missing = values && !request ? 'Enter the hash of a transaction on this network.' : undefined;
  const notFound = looked && 'problem' in looked ? looked.problem : undefined;
  const wrong = missing ?? notFound;
  const failed = missing === undefined ? (notFound === undefined ? status : 404) : 400;
  const page = (
    <Transfers
      values={values}
      found={found}
      problems={problem ? [problem] : wrong === undefined ? [] : [{ field: 'transaction', text: wrong }]}
      note={context.fields?.get('note') ?? undefined}
      formToken={may(context, 'full') ? context.formToken : null}
    />
  );
  return showPage(context, 'Unmatched payments', page, problem === undefined ? failed : status);
}

function Transfers({
  values,
  found,
  problems,
  note,
  formToken,
}: {
  values: URLSearchParams | null;
  found: TransactionPayments | null;
  problems: readonly Problem[];
  note: string | undefined;
  /** Null for someone who may not book it. */
  formToken: string | null;
}): ReactNode {
  const errors = errorsOf(problems);
  const networks = configuredOffers(currentApp().settings).map(({ network }) => network);
  return (
    <>
      <h1>Unmatched payments</h1>
      <p>
        Record a payment that the ledger does not know, such as one that the audit finds after a restore. It
        is booked as its payer’s money, and can then be refunded or kept.
      </p>
      <Summary title="Nothing was booked" problems={problems} />
      <form method="get" action="/operator/transfers" className="narrow">
        <Field id="network" label="Network">
          <select id="network" name="network" defaultValue={values?.get('network') ?? undefined}>
            {networks.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        <Field id="transaction" label="Transaction" error={errors.transaction}>
          <input
            id="transaction"
            name="transaction"
            defaultValue={values?.get('transaction') ?? ''}
            autoComplete="off"
            spellCheck={false}
            maxLength={128}
            {...describing('transaction', { error: errors.transaction })}
          />
        </Field>
        <button type="submit" className={found === null ? undefined : 'secondary'}>
          Find transaction
        </button>
      </form>
      {found === null ? null : <Found found={found} note={note} error={errors.note} formToken={formToken} />}
    </>
  );
}

function Found({
  found: { offer, transactionHash, isFinal, payments },
  note,
  error,
  formToken,
}: {
  found: TransactionPayments;
  note: string | undefined;
  /** Why the note was not accepted. */
  error: string | undefined;
  /** Null for someone who may not book it. */
  formToken: string | null;
}): ReactNode {
  const network = offer.network.name;
  const format = columnFormat(payments.map(({ amountAtomic }) => amountAtomic));
  const isBookable = isFinal && payments.some(({ paidCallId }) => paidCallId === null);
  return (
    <>
      <h2>Payments in this transaction</h2>
      <Facts
        entries={[
          [
            'Transaction',
            <Transaction
              key="transaction"
              hash={transactionHash}
              page={transactionPage(network, transactionHash)}
            />,
          ],
          ['Network', networkLabel(network)],
          ['Final', isFinal ? 'yes' : 'not yet: it can be booked when it has enough blocks above it'],
        ]}
      />
      <Table
        label="Payments"
        columns={[
          { title: 'Payer' },
          { title: 'Amount (USDC)', className: 'number' },
          { title: 'Authorization' },
          { title: 'In the ledger' },
        ]}
        rows={payments.map(({ payer, amountAtomic, authorization, paidCallId }) => ({
          key: `${payer} ${authorization}`,
          cells: [
            payer === null ? (
              'more than one'
            ) : (
              <Copyable key="payer" value={payer} name="payer">
                <Id value={payer} isShort />
              </Copyable>
            ),
            format(amountAtomic),
            <Id key="authorization" value={authorization} isShort />,
            paidCallId === null ? 'no' : <CallLink key="call" id={paidCallId} isShort />,
          ],
        }))}
      />
      {isBookable && formToken !== null ? (
        <form method="post" action="/operator/transfers" className="narrow">
          <FormToken value={formToken} />
          <input type="hidden" name="network" value={network} />
          <input type="hidden" name="transaction" value={transactionHash} />
          <NoteField value={note} hint="Why the ledger does not have it, such as a restore." error={error} />
          <button type="submit">Book what the ledger does not have</button>
        </form>
      ) : null}
    </>
  );
}
