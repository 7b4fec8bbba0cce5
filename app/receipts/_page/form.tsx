import type { ReactNode } from 'react';
import { describing, Field } from '@/app/_page/field';

/** What was typed into the form. */
export interface ReceiptDraft {
  readonly receipt: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly answer: string;
}

export const emptyDraft: ReceiptDraft = { receipt: '', method: 'POST', path: '', body: '', answer: '' };

const hints = {
  receipt: (
    <>
      The value of the response header <code>PAYMENT-RESPONSE</code>, <code>Payment-Receipt</code>, or{' '}
      <code>Paid-Call-Receipt</code>, or the signature alone.
    </>
  ),
  body: 'Exactly as it was sent.',
  answer: 'Exactly as it was received.',
} as const;

/**
 * The form: a receipt, and what it may be compared with.
 * @param error why no receipt could be verified
 */
export function ReceiptForm({ draft, error }: { draft: ReceiptDraft; error?: string }): ReactNode {
  const { receipt, method, path, body, answer } = draft;
  return (
    <form className="receipt-form" method="post" action="/receipts" noValidate>
      <Area name="receipt" label="Receipt" value={receipt} rows={6} error={error} />
      <details className="optional-part" open={path !== '' || body !== ''}>
        <summary>Compare with a request (optional)</summary>
        <div className="request-line">
          <Field id="method" label="Method">
            <select id="method" name="method" defaultValue={method}>
              {['POST', 'GET', 'DELETE'].map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </Field>
          <Field id="path" label="Path">
            <input
              id="path"
              className="code"
              name="path"
              defaultValue={path}
              placeholder="/v1/uploads"
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
        </div>
        <Area name="body" label="Request body" value={body} rows={4} />
      </details>
      <details className="optional-part" open={answer !== ''}>
        <summary>Compare with a response (optional)</summary>
        <Area name="answer" label="Response body" value={answer} rows={4} />
      </details>
      <button type="submit">Verify</button>
    </form>
  );
}

function Area({
  name,
  label,
  value,
  rows,
  error,
}: {
  name: keyof typeof hints;
  label: string;
  value: string;
  rows: number;
  error?: string | undefined;
}): ReactNode {
  const hint = hints[name];
  return (
    <Field id={name} label={label} hint={hint} error={error}>
      <textarea
        id={name}
        name={name}
        className="code"
        rows={rows}
        defaultValue={value}
        spellCheck={false}
        autoComplete="off"
        {...describing(name, { hint, error })}
      />
    </Field>
  );
}
