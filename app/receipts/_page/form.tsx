import type { ReactNode } from 'react';

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
    <form className="fields" method="post" action="/receipts">
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
      <fieldset>
        <legend>Is it about this request? (optional)</legend>
        <div className="field">
          <label htmlFor="method">Method</label>
          <select id="method" name="method" defaultValue={draft.method}>
            {['POST', 'GET', 'DELETE'].map((method) => (
              <option key={method}>{method}</option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="path">Path</label>
          <input
            id="path"
            name="path"
            defaultValue={draft.path}
            placeholder="/v1/uploads"
            autoComplete="off"
            spellCheck={false}
          />
        </div>
        <Area name="body" label="Body" hint="Exactly as it was sent." value={draft.body} rows={4} />
      </fieldset>
      <fieldset>
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
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <p id={`${name}-hint`} className="note">
        {hint}
      </p>
      <textarea
        id={name}
        name={name}
        rows={rows}
        defaultValue={value}
        aria-describedby={`${name}-hint`}
        spellCheck={false}
        autoComplete="off"
        required={isRequired}
      />
    </div>
  );
}
