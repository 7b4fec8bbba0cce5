import { explorerLink } from '@/app/_wallets/networks';
import type { Paid } from '@/app/_wallets/payment';
import { receiptIn } from '@/app/_wallets/request';
import { type DepositNetwork, ids } from '../_page/state';
import { element, setHidden, setText } from './elements';

/** What the page says about a payment. */
export interface ShownReceipt {
  readonly amount: string;
  readonly txHash: string | null;
  readonly creditedAt: string;
  readonly paidCallId: string | null;
  /** The name of the network that people see. */
  readonly network: string;
  /** USDC in the account after it, decimal; null when it is not known. */
  readonly balance: string | null;
}

export function receiptOf({ signed, answer }: Paid, balance: string | null): ShownReceipt {
  const credited = answer.body as Pick<ShownReceipt, 'amount' | 'txHash' | 'creditedAt'>;
  return { ...credited, paidCallId: receiptIn(answer).paidCallId, network: signed.network, balance };
}

const moment = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'long' });

export function showReceipt(receipt: ShownReceipt, networks: readonly DepositNetwork[]): void {
  setText(ids.paidAmount, `${receipt.amount} USDC`);
  const at = element<HTMLTimeElement>(ids.paidAt);
  if (at) at.dateTime = receipt.creditedAt;
  setText(ids.paidAt, moment.format(new Date(receipt.creditedAt)));
  setText(ids.paidNetwork, receipt.network);
  setText(ids.paidBalance, receipt.balance === null ? 'not known at the moment' : `${receipt.balance} USDC`);
  const { txHash, network } = receipt;
  setLink(ids.paidTransaction, txHash, txHash && explorerLink(networks, network, txHash));
  setLink(ids.paidCall, receipt.paidCallId, `/v1/paid-calls/${receipt.paidCallId}`);
  setHidden(ids.form, true);
  setHidden(ids.receipt, false);
}

/** Shows something with a link about it; without an address only the text. */
function setLink(
  id: typeof ids.paidTransaction | typeof ids.paidCall,
  text: string | null,
  href: string | null,
) {
  if (text === null || href === null) return setText(id, text ?? 'none');
  element(id)?.replaceChildren(Object.assign(document.createElement('a'), { href, textContent: text }));
}
