import { oneOf } from '@/app/_page/series';
import { explorerLink } from '@/app/_wallets/networks';
import type { Paid } from '@/app/_wallets/payment';
import { type Answer, type CallRequest, type Offers, receiptIn } from '@/app/_wallets/request';
import { usdc } from '@/app/_wallets/words';
import type { TryState } from '../../reference/try/state';
import { code, element, facts, json } from './elements';

/** What "Try it" shows of answers. */

/** The answer to the unpaid call: a 402 in words, anything else as it is. */
export function showUnpaid(
  place: HTMLElement,
  { status, body }: Answer,
  offers: Offers | null,
  state: TryState,
): void {
  const title = element('h3', {}, `${status}${status === 402 ? ' Payment required' : ''}`);
  const parts = offers
    ? [
        element('p', {}, `Nothing was charged. The call costs ${priceIn(offers.accepts, state)}.`),
        element(
          'details',
          {},
          element('summary', {}, 'Addresses and expiry'),
          offerTable(offers.accepts, state),
        ),
      ]
    : [element('p', {}, 'Nothing was charged.')];
  place.replaceChildren(title, ...parts, whole(body));
  place.hidden = false;
  place.focus();
}

/** The full response, collapsed: it repeats what is said in words. */
function whole(body: unknown): HTMLElement {
  return element('details', {}, element('summary', {}, 'Full response'), json('Full response', body));
}

/** `0.001 USDC on Base, Polygon, Arbitrum or Solana`: a call has one price on every network. */
function priceIn(accepts: Offers['accepts'], state: TryState): string {
  const names = accepts.map(({ network }) => labelOf(network, state));
  return `${usdc(accepts[0]?.amount ?? '0')}\u00a0${coinOf(state)} on ${oneOf.format(new Set(names))}`;
}

const coinOf = ({ isTest }: TryState) => (isTest ? 'test USDC' : 'USDC');

const labelOf = (network: string, { networks }: TryState) =>
  networks.find(({ caip2 }) => caip2 === network)?.label ?? network;

const columns = ['Network', 'Amount', 'Paid to', 'Token', 'Expires'];

/** What the 402 offers, a network in each row. */
function offerTable(accepts: Offers['accepts'], state: TryState): HTMLElement {
  const head = element('tr', {}, ...columns.map((title) => element('th', { scope: 'col' }, title)));
  const rows = accepts.map((accepted) => {
    const cells = wordsOf(accepted, state).map((words, at) =>
      at === 0 ? element('th', { scope: 'row' }, words) : cell(columns[at] ?? '', words),
    );
    return element('tr', {}, ...cells);
  });
  const table = element(
    'table',
    { className: 'stacking' },
    element('thead', {}, head),
    element('tbody', {}, ...rows),
  );
  const section = element('section', { className: 'scroll', tabIndex: 0 }, table);
  section.setAttribute('aria-label', 'Ways to pay');
  return section;
}

function cell(title: string, words: Node | string): HTMLElement {
  const made = element('td', {}, words);
  made.dataset.title = title;
  return made;
}

function wordsOf(accepted: Offers['accepts'][number], state: TryState): (Node | string)[] {
  return [
    labelOf(accepted.network, state),
    `${usdc(accepted.amount)} ${coinOf(state)}`,
    code(accepted.payTo),
    code(accepted.asset),
    `${timeSpan(accepted.maxTimeoutSeconds)} after it is signed`,
  ];
}

/** `300` seconds are `5 minutes`. */
function timeSpan(seconds: number): string {
  const [count, unit] = seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** The receipt and the answer of the paid call. */
export function showPaid(place: HTMLElement, { answer, signed }: Paid, state: TryState): void {
  const { transaction, paidCallId } = receiptIn(answer);
  const href = transaction && explorerLink(state.networks, signed.network, transaction);
  place.replaceChildren(
    element('h3', {}, `${answer.status} ${answer.status === 201 ? 'Created' : 'OK'}`),
    facts({
      Paid: `${signed.amount} ${coinOf(state)} on ${signed.network}`,
      Transaction:
        transaction && href ? element('a', { href }, code(transaction)) : transaction && code(transaction),
      'Paid call': paidCallId && code(paidCallId),
    }),
    verification(answer, signed.request),
    json('Response', answer.body, 'Response'),
  );
  place.hidden = false;
  place.focus({ preventScroll: true });
  // From its beginning, which the head of the panel would cover otherwise.
  place.scrollIntoView({ block: 'start' });
}

/** A button that verifies the receipt on the page for that, which gets it together with the request. */
function verification({ headers }: Answer, { method, path, body }: CallRequest): HTMLElement {
  const values = { receipt: headers.get('payment-response') ?? '', method, path, body: body ?? '' };
  const fields = Object.entries(values).map(([name, value]) =>
    element('input', { type: 'hidden', name, value }),
  );
  const button = element('button', { type: 'submit', className: 'secondary' }, 'Verify the receipt');
  return element('form', { method: 'post', action: '/receipts', target: '_blank' }, ...fields, button);
}
