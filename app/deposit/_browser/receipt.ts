import { type DepositNetwork, ids } from '../_page/state';
import { element, setHidden, setText } from './elements';
import type { Receipt } from './payment';

/** A receipt with what else the page says of the payment. */
export interface ShownReceipt extends Receipt {
  /** The name of the network that people see. */
  readonly network: string;
  /** USDC in the account after it, decimal; null when it is not known. */
  readonly balance: string | null;
}

const moment = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'long' });

export function showReceipt(receipt: ShownReceipt, networks: readonly DepositNetwork[]): void {
  setText(ids.paidAmount, `${receipt.amount} USDC`);
  const at = element<HTMLTimeElement>(ids.paidAt);
  if (at) at.dateTime = receipt.creditedAt;
  setText(ids.paidAt, moment.format(new Date(receipt.creditedAt)));
  setText(ids.paidNetwork, receipt.network);
  setText(ids.paidBalance, receipt.balance === null ? 'not known at the moment' : `${receipt.balance} USDC`);
  const { explorer } = networks.find(({ label }) => label === receipt.network) ?? {};
  setLink(ids.paidTransaction, receipt.txHash, explorer?.replace('{hash}', receipt.txHash ?? ''));
  setLink(ids.paidCall, receipt.paidCallId, `/v1/paid-calls/${receipt.paidCallId}`);
  setHidden(ids.form, true);
  setHidden(ids.receipt, false);
}

/** Shows something with a link about it; without an address only the text. */
function setLink(id: typeof ids.paidTransaction | typeof ids.paidCall, text: string | null, href?: string) {
  if (text === null || href === undefined) return setText(id, text ?? 'none');
  element(id)?.replaceChildren(Object.assign(document.createElement('a'), { href, textContent: text }));
}
