import type { ReactNode } from 'react';
import { Field } from '@/app/_page/field';

/** What was typed into the form. */
export interface ReceiptDraft {
  readonly receipt: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly answer: string;
}

export const emptyDraft: ReceiptDraft = { receipt: '', method: 'POST', path: '', body: '', answer: '' };

/** The form: a receipt, and what it may be compared with. */
export function ReceiptForm({ draft }: { draft: ReceiptDraft }): ReactNode {
  return (
    <form className="receipt-form" method="post" action="/receipts">
      <p>
        Every paid response has a signed receipt: in <code>PAYMENT-RESPONSE</code>,{' '}
        <code>Payment-Receipt</code> or <code>Paid-Call-Receipt</code>.{' '}
        <a href="/docs/receipts">How to verify one yourself</a>
      </p>
      <Area
        name="receipt"
        label="Receipt"
        hint="The value of one of these headers, or the signature alone."
        value={draft.receipt}
        rows={6}
        isRequired
      />
      <fieldset className="group">
        <legend>Is it about this request? (optional)</legend>
        <Field id="method" label="Method">
          <select id="method" name="method" defaultValue={draft.method}>
            {['POST', 'GET', 'DELETE'].map((method) => (
              <option key={method}>{method}</option>
            ))}
          </select>
        </Field>
        <Field id="path" label="Path">
          <input
            id="path"
            className="code"
            name="path"
            defaultValue={draft.path}
            placeholder="/v1/uploads"
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
        <Area name="body" label="Body" hint="Exactly as it was sent." value={draft.body} rows={4} />
      </fieldset>
      <fieldset className="group">
        <legend>Is it about this answer? (optional)</legend>
        <Area
          name="answer"
          label="Body of the answer"
          hint="Exactly as it came."
          value={draft.answer}
          rows={4}
        />
      </fieldset>
      <button type="submit">Verify</button>
    </form>
  );
}

function Area({
  name,
  label,
  hint,
  value,
  rows,
  isRequired = false,
}: {
  name: keyof ReceiptDraft;
  label: string;
  hint: string;
  value: string;
  rows: number;
  isRequired?: boolean;
}): ReactNode {
  return (
    <Field id={name} label={label} hint={hint}>
      <textarea
        id={name}
        name={name}
        className="code"
        rows={rows}
        defaultValue={value}
        aria-describedby={`${name}-hint`}
        spellCheck={false}
        autoComplete="off"
        required={isRequired}
      />
    </Field>
  );
}
