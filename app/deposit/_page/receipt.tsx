import type { ReactNode } from 'react';
import { ids } from './state';

/** A receipt to keep. The script fills it in. */
export function Receipt(): ReactNode {
  return (
    <section
      id={ids.receipt}
      className="notice good paid"
      aria-labelledby="receipt-title"
      tabIndex={-1}
      hidden
    >
      <h2 id="receipt-title">Paid</h2>
      <p>The money is in the account and can be spent now. You can close this page.</p>
      <dl>
        <dt>Amount</dt>
        <dd id={ids.paidAmount} />
        <dt>Date</dt>
        <dd>
          <time id={ids.paidAt} />
        </dd>
        <dt>Network</dt>
        <dd id={ids.paidNetwork} />
        <dt>Transaction</dt>
        <dd id={ids.paidTransaction} className="address" translate="no" />
        <dt>Receipt number</dt>
        <dd id={ids.paidCall} className="address" translate="no" />
        <dt>Balance of the account now</dt>
        <dd id={ids.paidBalance} />
      </dl>
      <p className="actions">
        <button id={ids.print} type="button" className="secondary">
          Print or save
        </button>{' '}
        <button id={ids.again} type="button" className="secondary">
          Add more
        </button>
      </p>
    </section>
  );
}
